import {
  type AffixSegment,
  foldCase,
  matchAffix,
  type PathRules,
  type Pattern,
  significantSegments,
} from './pattern.js';
import { ALL } from './route-methods.js';

const SLASH = 47;

/** To compare a path with more texts takes longer than a search. */
const MAX_STARTS = 8;

/** A value found in the tree, with the parameters of its path. */
export interface Match<T> {
  readonly value: T;
  /** Parameter values, still percent-encoded. */
  readonly rawParams: string[];
}

type RoutesByMethod<T> = Map<string, T>;

/** A node of the tree. A path reaches each node in exactly one way, so a search visits it at most once. */
interface Node<T> {
  /** The text between the parent and this node; empty for the root and after a parameter. */
  text: string;
  /** Child nodes that start with text, by the code of its first character. */
  readonly statics: Node<T>[];
  /** Child nodes after a slash and parameters with text around them, the most specific first. */
  affixes: readonly AffixChild<T>[] | undefined;
  /** Child node after a slash and a parameter. */
  param: Node<T> | undefined;
  /** Routes of the pattern that ends here. */
  leaf: RoutesByMethod<T> | undefined;
  /** Routes of the pattern that adds a slash and a wildcard. It also matches a path that ends here. */
  wildcard: RoutesByMethod<T> | undefined;
}

interface AffixChild<T> {
  /** Folded, see {@link foldCase}. */
  readonly literals: readonly string[];
  readonly node: Node<T>;
}

interface Query {
  readonly method: string;
  /** Whether only a route of the method itself matches. Otherwise see {@link selectFallback}. */
  readonly isExact: boolean;
  readonly path: string;
  /** The path as compared with static text, see {@link foldCase}. It is ASCII, so as long as `path`. */
  readonly folded: string;
  /** The end of the path for static text and parameters, before an insignificant trailing slash. */
  readonly end: number;
}

/**
 * A radix tree of patterns. In each segment, static text takes precedence over parameters with text around
 * them, then parameters, then a wildcard, with backtracking. The order of insertion has no effect.
 */
export class Tree<T> {
  readonly #rules: PathRules;
  readonly #root: Node<T> = createNode('');
  readonly #methods = new Set<string>();

  constructor(rules: PathRules) {
    this.#rules = rules;
  }

  /** Adds a value for a method and a pattern, and replaces an earlier one. */
  insert(method: string, pattern: Pick<Pattern, 'segments'>, value: T): void {
    const segments = significantSegments(pattern, this.#rules);
    const kind = segments.at(-1)?.kind === 'wildcard' ? 'wildcard' : 'leaf';
    let node = this.#root;
    for (const segment of segments) {
      if (segment.kind === 'param') node = node.param ??= createNode('');
      else if (segment.kind === 'affix') node = addAffix(node, segment, this.#rules);
      else if (segment.kind === 'static') {
        node = addText(node, `/${foldCase(segment.text, this.#rules)}`);
      }
    }
    node[kind] = (node[kind] ?? new Map<string, T>()).set(method, value);
    this.#methods.add(method);
  }

  /** Every path that has a value starts with one of these texts. */
  starts(): readonly string[] {
    const starts = this.#rules.caseSensitive ? startsOf(this.#root) : [''];
    return starts.length > MAX_STARTS ? [''] : starts;
  }

  /**
   * Finds the value of highest precedence for a request.
   *
   * @param path - Request path in normal form.
   * @param isExact - Whether to ignore routes for all methods, and GET routes for HEAD; false by default.
   */
  find(method: string, path: string, isExact = false): Match<T> | undefined {
    const endsInSlash = path.charCodeAt(path.length - 1) === SLASH;
    const ignoreSlash = endsInSlash && (path.length === 1 || !this.#rules.strict);
    const end = ignoreSlash ? path.length - 1 : path.length;
    const folded = this.#rules.caseSensitive ? path : path.toLowerCase();
    return search(this.#root, 0, 0, { method, isExact, path, folded, end });
  }

  /**
   * Returns the methods of every pattern that matches a path.
   *
   * @param path - Request path in normal form, or `*` for the methods of the whole tree.
   */
  methods(path: string): Set<string> {
    const matching = [...this.#methods].filter(
      (method) => path === '*' || this.find(method, path, true) !== undefined,
    );
    return new Set(matching);
  }
}

/** Returns the text of a node, or those of its children if it is at most a slash and has nothing else. */
function startsOf<T>({ text, statics, ...others }: Node<T>): readonly string[] {
  const isStart = !/^\/?$/.test(text) || Object.values(others).some((other) => other !== undefined);
  return isStart ? [text] : statics.flatMap((child) => startsOf(child).map((one) => text + one));
}

/**
 * Searches a subtree. Recurses only where it may have to backtrack, and fills in the parameters on
 * the way back.
 *
 * @param from - A node whose text starts with the character at `begin`.
 * @param params - Number of parameters between the root and the node.
 */
function search<T>(
  from: Node<T>,
  begin: number,
  params: number,
  query: Query,
): Match<T> | undefined {
  const { method, isExact, path, folded, end } = query;
  let node = from;
  let at = begin + node.text.length;
  // The caller has already compared the first character.
  while (at <= end && folded.startsWith(node.text, at - node.text.length)) {
    if (at < end) {
      const child = node.statics[folded.charCodeAt(at)];
      if (child !== undefined) {
        if (node.param === undefined && node.wildcard === undefined && node.affixes === undefined) {
          node = child;
          at += child.text.length;
          continue;
        }
        const match = search(child, at, params, query);
        if (match !== undefined) return match;
      }
      if (path.charCodeAt(at) !== SLASH) return undefined;
      if (node.param !== undefined || node.affixes !== undefined) {
        const slash = path.indexOf('/', at + 1);
        const stop = slash === -1 || slash > end ? end : slash;
        if (node.affixes !== undefined) {
          const match = searchAffixes(node.affixes, at + 1, stop, params, query);
          if (match !== undefined) return match;
        }
        const match =
          stop > at + 1 && node.param !== undefined
            ? search(node.param, stop, params + 1, query)
            : undefined;
        if (match !== undefined) {
          match.rawParams[params] = path.slice(at + 1, stop);
          return match;
        }
      }
    } else if (node.leaf !== undefined) {
      const value =
        node.leaf.get(method) ?? (isExact ? undefined : selectFallback(node.leaf, method));
      if (value !== undefined) return { value, rawParams: new Array<string>(params) };
    }
    if (node.wildcard === undefined) return undefined;
    const value =
      node.wildcard.get(method) ?? (isExact ? undefined : selectFallback(node.wildcard, method));
    if (value === undefined) return undefined;
    const rawParams = new Array<string>(params + 1);
    rawParams[params] = path.slice(at + 1);
    return { value, rawParams };
  }
  return undefined;
}

/** Searches the nodes after the segment from `begin` to `stop`, in order of precedence. */
function searchAffixes<T>(
  affixes: readonly AffixChild<T>[],
  begin: number,
  stop: number,
  params: number,
  query: Query,
): Match<T> | undefined {
  for (const { literals, node } of affixes) {
    const values = matchAffix(query.path, query.folded, begin, stop, literals);
    if (values === undefined) continue;
    const match = search(node, stop, params + values.length, query);
    if (match === undefined) continue;
    for (const [index, value] of values.entries()) match.rawParams[params + index] = value;
    return match;
  }
  return undefined;
}

/** Selects the route for a method without a route: for HEAD that of GET, then that of `ALL`. */
function selectFallback<T>(routes: ReadonlyMap<string, T>, method: string): T | undefined {
  return (method === 'HEAD' ? routes.get('GET') : undefined) ?? routes.get(ALL);
}

/** Whether a route of one of these methods handles a request's method. */
export function handlesMethod(methods: ReadonlySet<string>, method: string): boolean {
  return methods.has(method) || methods.has(ALL) || (method === 'HEAD' && methods.has('GET'));
}

function createNode<T>(text: string): Node<T> {
  return {
    text,
    statics: [],
    affixes: undefined,
    param: undefined,
    leaf: undefined,
    wildcard: undefined,
  };
}

/** Returns the node that `text` leads to from `node`. Splits nodes so that they share common prefixes. */
function addText<T>(node: Node<T>, text: string): Node<T> {
  if (text === '') return node;
  const first = text.charCodeAt(0);
  const child = node.statics[first];
  if (child === undefined) {
    const added = createNode<T>(text);
    node.statics[first] = added;
    return added;
  }
  const shared = sharedLength(child.text, text);
  if (shared === child.text.length) return addText(child, text.slice(shared));
  const fork = createNode<T>(text.slice(0, shared));
  child.text = child.text.slice(shared);
  fork.statics[child.text.charCodeAt(0)] = child;
  node.statics[first] = fork;
  return addText(fork, text.slice(shared));
}

function addAffix<T>(node: Node<T>, segment: AffixSegment, rules: PathRules): Node<T> {
  const literals = segment.literals.map((literal) => foldCase(literal, rules));
  const label = labelOf(literals);
  const existing = node.affixes?.find((child) => labelOf(child.literals) === label);
  if (existing !== undefined) return existing.node;
  const child = { literals, node: createNode<T>('') };
  node.affixes = [...(node.affixes ?? []), child].sort(bySpecificity);
  return child.node;
}

/** Sorts by the length of the literals, longest first, then by their text. */
function bySpecificity<T>(one: AffixChild<T>, other: AffixChild<T>): number {
  const difference = other.literals.join('').length - one.literals.join('').length;
  return difference || (labelOf(one.literals) < labelOf(other.literals) ? -1 : 1);
}

/** A literal may contain a colon, but not a slash. */
function labelOf(literals: readonly string[]): string {
  return `/${literals.join('/:')}`;
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
