import { selectByMethod } from './method.js';
import { foldCase, type PathRules, type Pattern, significantSegments } from './pattern.js';

const NO_PARAMS: readonly string[] = Object.freeze([]);

/** The routes of one pattern, by method. */
type Leaf<T> = Map<string, T>;

/** One segment deep in the tree. Every node stands for one place in every path, so a search meets it once. */
interface Node<T> {
  readonly statics: Map<string, Node<T>>;
  /** The one static child and its text, where there is one alone: compared without a look-up. */
  only: { readonly text: string; readonly node: Node<T> } | undefined;
  param: Node<T> | undefined;
  /** Routes of the pattern that ends here. */
  leaf: Leaf<T> | undefined;
  /** Routes of the pattern that ends here with a wildcard. */
  wildcard: Leaf<T> | undefined;
}

/** What a search found: the value and the texts of its parameters, still encoded. */
export interface Found<T> {
  readonly value: T;
  readonly rawParams: readonly string[];
}

/** What a search is for. */
interface Visitor<T> {
  /** The path as it was requested. */
  readonly path: string;
  /** Takes the texts of the parameters once {@link visit} has ended the search. */
  readonly rawParams: string[];
  /** Looks at a leaf, in order of priority; returns true to end the search there. */
  visit(leaf: Leaf<T>): boolean;
}

/**
 * A tree of segments. At every segment static text takes precedence over a parameter, and that
 * over a wildcard, with backtracking; the order of insertion decides nothing. A search visits a node once at
 * most, whatever the path.
 */
export class Tree<T> {
  readonly #rules: PathRules;
  readonly #root: Node<T> = createNode();
  /** Leaves of the patterns without parameter, by path: what most requests need. */
  readonly #fixed = new Map<string, Leaf<T>>();

  constructor(rules: PathRules) {
    this.#rules = rules;
  }

  /** Adds a value for a method and a pattern that has none yet. */
  insert(method: string, pattern: Pattern, value: T): void {
    let node = this.#root;
    let path = '';
    for (const segment of significantSegments(pattern, this.#rules)) {
      if (segment.kind === 'wildcard') {
        node.wildcard ??= new Map();
        node.wildcard.set(method, value);
        return;
      }
      if (segment.kind === 'param') {
        node.param ??= createNode();
        node = node.param;
        continue;
      }
      const text = foldCase(segment.text, this.#rules);
      const child: Node<T> = node.statics.get(text) ?? createNode();
      node.statics.set(text, child);
      node.only = node.statics.size === 1 ? { text, node: child } : undefined;
      path += `/${text}`;
      node = child;
    }
    node.leaf ??= new Map();
    node.leaf.set(method, value);
    if (pattern.names.length === 0) this.#fixed.set(path, node.leaf);
  }

  /**
   * Finds the value of highest priority for a request.
   *
   * @param method - Request method.
   * @param path - Request path in normal form.
   */
  find(method: string, path: string): Found<T> | undefined {
    const end = this.#endOf(path);
    const folded = foldCase(path, this.#rules);
    const fixed = this.#fixed.get(folded.slice(0, end));
    const value = fixed && selectByMethod(fixed, method);
    if (value !== undefined) return { value, rawParams: NO_PARAMS };

    const finder = new Finder<T>(method, path);
    search(this.#root, folded, end, 1, 0, finder);
    return finder.value === undefined
      ? undefined
      : { value: finder.value, rawParams: finder.rawParams };
  }

  /**
   * The methods of every pattern that matches a path.
   *
   * @param path - Request path in normal form, or `*` for the methods of the whole tree.
   */
  methods(path: string): Set<string> {
    const collector = new Collector<T>(path);
    if (path === '*') visitAll(this.#root, collector);
    else search(this.#root, foldCase(path, this.#rules), this.#endOf(path), 1, 0, collector);
    return collector.methods;
  }

  /** Where a path ends for static text and parameters: before a trailing slash that does not count. */
  #endOf(path: string): number {
    const drop = path.endsWith('/') && (path === '/' || !this.#rules.strict);
    return drop ? path.length - 1 : path.length;
  }
}

/**
 * Looks at the leaves of a path.
 *
 * @param path - In the form that static text is compared in.
 * @param end - Where it ends for static text and parameters.
 * @param start - Where the segment begins that the children of `node` stand for.
 * @param depth - Parameters between the root and `node`.
 * @returns Whether the visitor has ended the search.
 */
function search<T>(
  node: Node<T>,
  path: string,
  end: number,
  start: number,
  depth: number,
  visitor: Visitor<T>,
): boolean {
  if (start > end) {
    if (node.leaf !== undefined && visitor.visit(node.leaf)) return true;
  } else {
    const slash = path.indexOf('/', start);
    const stop = slash === -1 ? end : Math.min(slash, end);
    const child = staticChild(node, path, start, stop);
    if (child !== undefined && search(child, path, end, stop + 1, depth, visitor)) return true;
    if (node.param !== undefined && stop > start) {
      if (search(node.param, path, end, stop + 1, depth + 1, visitor)) {
        visitor.rawParams[depth] = visitor.path.slice(start, stop);
        return true;
      }
    }
  }
  if (node.wildcard === undefined || !visitor.visit(node.wildcard)) return false;
  visitor.rawParams[depth] = visitor.path.slice(start);
  return true;
}

function staticChild<T>(
  { only, statics }: Node<T>,
  path: string,
  start: number,
  stop: number,
): Node<T> | undefined {
  if (only === undefined) {
    return statics.size === 0 ? undefined : statics.get(path.slice(start, stop));
  }
  const isThere = only.text.length === stop - start && path.startsWith(only.text, start);
  return isThere ? only.node : undefined;
}

/** Finds the first value for a method. */
class Finder<T> implements Visitor<T> {
  readonly path: string;
  readonly rawParams: string[] = [];
  value: T | undefined = undefined;
  readonly #method: string;

  constructor(method: string, path: string) {
    this.#method = method;
    this.path = path;
  }

  visit(leaf: Leaf<T>): boolean {
    this.value = selectByMethod(leaf, this.#method);
    return this.value !== undefined;
  }
}

/** Collects the methods of every leaf. */
class Collector<T> implements Visitor<T> {
  readonly path: string;
  readonly rawParams: string[] = [];
  readonly methods = new Set<string>();

  constructor(path: string) {
    this.path = path;
  }

  visit(leaf: Leaf<T>): boolean {
    for (const method of leaf.keys()) this.methods.add(method);
    return false;
  }
}

function createNode<T>(): Node<T> {
  return {
    statics: new Map(),
    only: undefined,
    param: undefined,
    leaf: undefined,
    wildcard: undefined,
  };
}

function visitAll<T>(node: Node<T>, visitor: Visitor<T>): void {
  if (node.leaf !== undefined) visitor.visit(node.leaf);
  if (node.wildcard !== undefined) visitor.visit(node.wildcard);
  for (const child of node.statics.values()) visitAll(child, visitor);
  if (node.param !== undefined) visitAll(node.param, visitor);
}
