import { selectByMethod } from './method.js';
import { foldCase, type PathRules, type Pattern, significantSegments } from './pattern.js';

const NO_PARAMS: readonly string[] = Object.freeze([]);

/** The routes of one pattern, by method. */
type Leaf<T> = Map<string, T>;

/** One segment deep in the tree. Every node stands for one place in every path, so a search meets it once. */
interface Node<T> {
  readonly statics: Map<string, Node<T>>;
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
  /** Texts of the parameters between the root and the node that is being looked at. */
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
    const fixed = this.#fixed.get(foldCase(path.slice(0, end), this.#rules));
    const value = fixed && selectByMethod(fixed, method);
    if (value !== undefined) return { value, rawParams: NO_PARAMS };

    const finder = new Finder<T>(method);
    this.#search(this.#root, path, end, 1, finder);
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
    const collector = new Collector<T>();
    if (path === '*') visitAll(this.#root, collector);
    else this.#search(this.#root, path, this.#endOf(path), 1, collector);
    return collector.methods;
  }

  /** Where a path ends for static text and parameters: before a trailing slash that does not count. */
  #endOf(path: string): number {
    const drop = path.endsWith('/') && (path === '/' || !this.#rules.strict);
    return drop ? path.length - 1 : path.length;
  }

  #search(node: Node<T>, path: string, end: number, start: number, visitor: Visitor<T>): boolean {
    if (start > end) {
      if (node.leaf !== undefined && visitor.visit(node.leaf)) return true;
      return node.wildcard !== undefined && visitRest(node.wildcard, path, start, visitor);
    }
    const slash = path.indexOf('/', start);
    const stop = slash === -1 ? end : Math.min(slash, end);
    const text = path.slice(start, stop);

    const child = node.statics.get(foldCase(text, this.#rules));
    if (child !== undefined && this.#search(child, path, end, stop + 1, visitor)) return true;

    if (node.param !== undefined && text !== '') {
      visitor.rawParams.push(text);
      if (this.#search(node.param, path, end, stop + 1, visitor)) return true;
      visitor.rawParams.pop();
    }
    return node.wildcard !== undefined && visitRest(node.wildcard, path, start, visitor);
  }
}

/** Finds the first value for a method. */
class Finder<T> implements Visitor<T> {
  readonly rawParams: string[] = [];
  value: T | undefined = undefined;
  readonly #method: string;

  constructor(method: string) {
    this.#method = method;
  }

  visit(leaf: Leaf<T>): boolean {
    this.value = selectByMethod(leaf, this.#method);
    return this.value !== undefined;
  }
}

/** Collects the methods of every leaf. */
class Collector<T> implements Visitor<T> {
  readonly rawParams: string[] = [];
  readonly methods = new Set<string>();

  visit(leaf: Leaf<T>): boolean {
    for (const method of leaf.keys()) this.methods.add(method);
    return false;
  }
}

function visitRest<T>(leaf: Leaf<T>, path: string, start: number, visitor: Visitor<T>): boolean {
  visitor.rawParams.push(path.slice(start));
  if (visitor.visit(leaf)) return true;
  visitor.rawParams.pop();
  return false;
}

function createNode<T>(): Node<T> {
  return { statics: new Map(), param: undefined, leaf: undefined, wildcard: undefined };
}

function visitAll<T>(node: Node<T>, visitor: Visitor<T>): void {
  if (node.leaf !== undefined) visitor.visit(node.leaf);
  if (node.wildcard !== undefined) visitor.visit(node.wildcard);
  for (const child of node.statics.values()) visitAll(child, visitor);
  if (node.param !== undefined) visitAll(node.param, visitor);
}
