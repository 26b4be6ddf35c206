/** The routes of one pattern, by method. */
export type Leaf<T> = Map<string, T>;

/** A place in the tree. It is one place in every path, so a search meets it once. */
export interface Node<T> {
  /** What stands between the parent and here; empty at the root and behind a parameter. */
  text: string;
  /** Nodes that go on with text, by the code of its first character. */
  readonly statics: Node<T>[];
  /** Node behind a slash and a parameter. */
  param: Node<T> | undefined;
  /** Routes of the pattern that ends here. */
  leaf: Leaf<T> | undefined;
  /** Routes of the pattern that goes on with a slash and a wildcard, or ends here. */
  wildcard: Leaf<T> | undefined;
}

/** Creates a node that nothing follows yet. */
export function createNode<T>(text: string): Node<T> {
  return { text, statics: [], param: undefined, leaf: undefined, wildcard: undefined };
}

/** The node that stands `text` behind another. Texts that begin alike share nodes as far as they do. */
export function growText<T>(node: Node<T>, text: string): Node<T> {
  if (text === '') return node;
  const first = text.charCodeAt(0);
  const child = node.statics[first];
  if (child === undefined) {
    const grown = createNode<T>(text);
    node.statics[first] = grown;
    return grown;
  }
  const shared = sharedLength(child.text, text);
  if (shared === child.text.length) return growText(child, text.slice(shared));
  const fork = createNode<T>(text.slice(0, shared));
  child.text = child.text.slice(shared);
  fork.statics[child.text.charCodeAt(0)] = child;
  node.statics[first] = fork;
  return growText(fork, text.slice(shared));
}

/** The node that stands a slash and a parameter behind another. */
export function growParam<T>(node: Node<T>): Node<T> {
  node.param ??= createNode('');
  return node.param;
}

/** A node and what is behind it in order of priority, one a line, with methods. */
export function linesOf<T>(node: Node<T>, label = node.text): string[] {
  // `flatMap` passes over the characters that no node begins with.
  const below = node.statics.flatMap((child) => linesOf(child));
  if (node.param !== undefined) below.push(...linesOf(node.param, '/:'));
  if (node.wildcard !== undefined) below.push(lineOf('/*', node.wildcard));
  return [lineOf(label, node.leaf), ...below.map((line) => `  ${line}`)];
}

function lineOf<T>(label: string, leaf: Leaf<T> | undefined): string {
  return [label, ...(leaf?.keys() ?? [])].join(' ');
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
