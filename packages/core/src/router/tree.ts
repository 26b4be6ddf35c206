import { selectByMethod } from './method.js';
import { createNode, growParam, growText, type Leaf, linesOf, type Node } from './node.js';
import { foldCase, type PathRules, type Pattern, significantSegments } from './pattern.js';

const SLASH = 47;

/** What a search found: the value and the texts of its parameters, still encoded. */
export interface Found<T> {
  readonly value: T;
  readonly rawParams: readonly string[];
}

/** What a search is for. */
interface Wanted<T> {
  readonly method: string;
  /** Takes the value for the method from the routes of a pattern; without one the search goes on. */
  readonly select: (leaf: Leaf<T>, method: string) => T | undefined;
  readonly path: string;
  /** The path in the form that static text is compared with; as long as the path, which is ASCII. */
  readonly folded: string;
  /** Where the path ends for static text and parameters: before a trailing slash that does not count. */
  readonly end: number;
}

/**
 * A tree of the texts and parameters that patterns begin with. At every segment static text takes
 * precedence over a parameter, and that over a wildcard, with backtracking; the order of insertion
 * decides nothing. A search visits a node once at most, whatever the path.
 */
export class Tree<T> {
  readonly #rules: PathRules;
  readonly #root: Node<T> = createNode('');
  readonly #methods = new Set<string>();

  constructor(rules: PathRules) {
    this.#rules = rules;
  }

  /** Adds a value for a method and a pattern that has none yet. */
  insert(method: string, pattern: Pattern, value: T): void {
    let node = this.#root;
    let place: 'leaf' | 'wildcard' = 'leaf';
    for (const segment of significantSegments(pattern, this.#rules)) {
      if (segment.kind === 'wildcard') place = 'wildcard';
      else if (segment.kind === 'param') node = growParam(node);
      else node = growText(node, `/${foldCase(segment.text, this.#rules)}`);
    }
    const leaf: Leaf<T> = node[place] ?? new Map();
    node[place] = leaf.set(method, value);
    this.#methods.add(method);
  }

  /**
   * Finds the value of highest priority for a request.
   *
   * @param method - Request method.
   * @param path - Request path in normal form.
   */
  find(method: string, path: string): Found<T> | undefined {
    return search(this.#root, 0, 0, this.#wanted(method, path, selectByMethod));
  }

  /**
   * The methods of every pattern that matches a path.
   *
   * @param path - Request path in normal form, or `*` for the methods of the whole tree.
   */
  methods(path: string): Set<string> {
    const matching = [...this.#methods].filter((method) => {
      const wanted = this.#wanted(method, path, (leaf) => leaf.get(method));
      return path === '*' || search(this.#root, 0, 0, wanted) !== undefined;
    });
    return new Set(matching);
  }

  /** The tree as text: a line for each node, in order of priority, with the methods of its routes. */
  toString(): string {
    return linesOf(this.#root).join('\n');
  }

  #wanted(method: string, path: string, select: Wanted<T>['select']): Wanted<T> {
    const endsInSlash = path.charCodeAt(path.length - 1) === SLASH;
    const drop = endsInSlash && (path.length === 1 || !this.#rules.strict);
    const end = drop ? path.length - 1 : path.length;
    return { method, select, path, folded: foldCase(path, this.#rules), end };
  }
}

/**
 * Searches from a node on; recursive only where there is something to come back to. The texts of
 * parameters are filled in on the way back.
 *
 * @param from - A node whose text begins with the character at `begin`.
 * @param passed - Number of parameters between the root and the node.
 */
function search<T>(
  from: Node<T>,
  begin: number,
  passed: number,
  wanted: Wanted<T>,
): { readonly value: T; readonly rawParams: string[] } | undefined {
  const { path, folded, end } = wanted;
  let node = from;
  let at = begin + node.text.length;
  while (at <= end && endsWith(folded, node.text, at)) {
    if (at < end) {
      const child = node.statics[folded.charCodeAt(at)];
      if (child !== undefined) {
        if (node.param === undefined && node.wildcard === undefined) {
          node = child;
          at += child.text.length;
          continue;
        }
        const found = search(child, at, passed, wanted);
        if (found !== undefined) return found;
      }
      if (path.charCodeAt(at) !== SLASH) return undefined;
      if (node.param !== undefined) {
        const slash = path.indexOf('/', at + 1);
        const stop = slash === -1 || slash > end ? end : slash;
        const found = stop > at + 1 ? search(node.param, stop, passed + 1, wanted) : undefined;
        if (found !== undefined) {
          found.rawParams[passed] = path.slice(at + 1, stop);
          return found;
        }
      }
    } else if (node.leaf !== undefined) {
      const value = wanted.select(node.leaf, wanted.method);
      if (value !== undefined) return { value, rawParams: new Array<string>(passed) };
    }
    if (node.wildcard === undefined) return undefined;
    const value = wanted.select(node.wildcard, wanted.method);
    if (value === undefined) return undefined;
    const rawParams = new Array<string>(passed + 1);
    rawParams[passed] = path.slice(at + 1);
    return { value, rawParams };
  }
  return undefined;
}

/** Whether a text whose first character is known to fit stands in a path before an index. */
function endsWith(path: string, text: string, end: number): boolean {
  const start = end - text.length;
  for (let index = 1; index < text.length; index += 1) {
    if (path.charCodeAt(start + index) !== text.charCodeAt(index)) return false;
  }
  return true;
}
