/** An object of a document. */
export type Node = Readonly<Record<string, unknown>>;

/** Whether a value is an object. */
export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns an object; an empty one for other values. */
export function nodeOf(value: unknown): Node {
  return isNode(value) ? value : {};
}

/** Returns the object members of an object, in order. */
export function nodesOf(value: unknown): readonly (readonly [name: string, node: Node])[] {
  return Object.entries(nodeOf(value)).filter((entry): entry is [string, Node] => isNode(entry[1]));
}

/** Returns an array; an empty one for other values. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns text without the spaces around it; undefined for other values and for empty text. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
