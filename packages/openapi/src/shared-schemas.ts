import type { Form, JsonSchema } from './convert.js';
import { findFreeName, toPascalCase } from './names.js';

/** Nodes that describe the same values, and so become one component, or one inline schema. */
interface SchemaGroup {
  readonly name: string | undefined;
  /** The content of one of the nodes. */
  readonly content: JsonSchema;
  isReferenced: boolean;
  isReceived: boolean;
  uses: number;
  /** The nodes within the content. */
  readonly inner: readonly InnerNode[];
  /** Words that name the schema if it has no name. */
  context: string | undefined;
  /** The name of the component; undefined for an inline schema. */
  component: string | undefined;
}

/** A schema that may become a component. Documents and other schemas contain it until they are written. */
export class SchemaNode {
  /** The schema, with nodes within. */
  content: JsonSchema = {};
  /** Whether a reference to it has further keywords. */
  isReferenced = false;
  /** Words that name the schema if it has no name; undefined for one within another. */
  hint: string | undefined = undefined;
  /** The equal nodes; undefined until nodes are compared. */
  group: SchemaGroup | undefined = undefined;

  /**
   * @param form - Whether clients send or receive the values.
   * @param name - Its ID or title; undefined if it has none.
   */
  constructor(
    readonly form: Form,
    readonly name: string | undefined,
  ) {}

  /** Returns the schema or the reference to its component; '' until nodes are compared. */
  toJSON(): JsonSchema | '' {
    if (this.group === undefined) return '';
    const { component, content } = this.group;
    return component === undefined ? content : { $ref: referenceTo(component) };
  }
}

/** The value of `$ref`, for a schema with further keywords. */
export class SchemaReference {
  constructor(readonly node: SchemaNode) {}

  toJSON(): string {
    return referenceTo(this.node.group?.component ?? '');
  }
}

function referenceTo(component: string): string {
  return `#/components/schemas/${component}`;
}

/** An inline schema at a place of the document. */
export class SchemaPlace {
  /**
   * @param hint - Words that name the schemas within.
   * @param schema - A JSON Schema that may contain nodes.
   */
  constructor(
    readonly hint: string,
    readonly schema: JsonSchema,
  ) {}

  toJSON(): JsonSchema {
    return this.schema;
  }
}

/**
 * Decides which schemas of a document become components: those with an ID or a title, those that occur
 * twice, and recursive ones. Afterwards, `JSON.stringify` writes the document with its references.
 *
 * @param nodes - All nodes.
 * @param document - Contains nodes. Determines the order and names of the components.
 * @returns The components, by name.
 */
export function shareSchemas(
  nodes: readonly SchemaNode[],
  document: unknown,
): Readonly<Record<string, JsonSchema>> {
  groupNodes(nodes);
  const order: SchemaGroup[] = [];
  const visit = (found: readonly InnerNode[], context: string): void => {
    for (const { node, words } of found) {
      const { group } = node;
      if (group === undefined) continue;
      group.uses += 1;
      if (group.uses > 1) continue;
      order.push(group);
      group.context ??= context + words;
      visit(group.inner, group.name ?? group.context);
    }
  };
  visit(nodesIn(document), '');
  nameComponents(order);
  const components: Record<string, JsonSchema> = Object.create(null);
  for (const { component, content } of order) {
    if (component !== undefined) components[component] = content;
  }
  return components;
}

/** A node within a schema. */
interface InnerNode {
  readonly node: SchemaNode;
  /** The members that lead to the node, each after a space. */
  readonly words: string;
}

/** Lists the nodes within a value, but not those within their contents. */
function nodesIn(value: unknown, words = '', found: InnerNode[] = []): readonly InnerNode[] {
  if (value instanceof SchemaNode) found.push({ node: value, words });
  else if (value instanceof SchemaReference) found.push({ node: value.node, words });
  else if (value instanceof SchemaPlace) nodesIn(value.schema, value.hint, found);
  else if (Array.isArray(value)) {
    for (const [index, member] of value.entries()) {
      nodesIn(member, `${words} option${index + 1}`, found);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      if (typeof member !== 'object') continue;
      nodesIn(member, WORDLESS.has(key) ? words : `${words} ${SINGULAR[key] ?? key}`, found);
    }
  }
  return found;
}

/** Keywords that add nothing to a name. */
const WORDLESS = new Set(['$ref', 'allOf', 'anyOf', 'oneOf', 'patternProperties', 'properties']);

/** Keywords that describe one of several values. */
const SINGULAR: Readonly<Record<string, string>> = { items: 'item', prefixItems: 'item' };

/**
 * Groups equal nodes: those with equal names and contents, whose inner nodes are equal. Two recursive
 * nodes are equal if nothing tells them apart, so it starts with large groups and splits them.
 *
 * @see Moore's algorithm for the minimization of automata.
 */
function groupNodes(nodes: readonly SchemaNode[]): void {
  const inner = new Map(nodes.map((node) => [node, nodesIn(node.content)]));
  let ids = numberBy(nodes, (node) => `${node.name ?? ''}\n${JSON.stringify(node.content)}`);
  for (let count = 0; ids.count > count; ) {
    count = ids.count;
    const { idOf } = ids;
    ids = numberBy(nodes, (node) =>
      [idOf(node), ...(inner.get(node) ?? []).map((one) => idOf(one.node))].join(),
    );
  }
  const groups = new Map<number | undefined, SchemaGroup>();
  for (const node of nodes) {
    const { name, content } = node;
    const within = inner.get(node) ?? [];
    const state = { isReferenced: false, isReceived: false, uses: 0, context: node.hint };
    const id = ids.idOf(node);
    const group = groups.get(id) ?? {
      name,
      content,
      inner: within,
      ...state,
      component: undefined,
    };
    group.isReferenced ||= node.isReferenced;
    group.isReceived ||= node.form === 'output';
    group.context ??= node.hint;
    groups.set(id, group);
    node.group = group;
  }
}

/** Gives each node the number of its key. */
function numberBy(nodes: readonly SchemaNode[], keyOf: (node: SchemaNode) => string) {
  const numbers = new Map<string, number>();
  const ids = new Map<SchemaNode, number>();
  for (const node of nodes) {
    const key = keyOf(node);
    const id = numbers.get(key) ?? numbers.size;
    numbers.set(key, id);
    ids.set(node, id);
  }
  return { count: numbers.size, idOf: (node: SchemaNode) => ids.get(node) };
}

/**
 * Names the components. Of schemas with the same ID or title, the first that clients receive keeps the
 * name, one that they only send gets the suffix `Input`, and others a number.
 */
function nameComponents(order: readonly SchemaGroup[]): void {
  const taken = new Set<string>();
  const assign = (group: SchemaGroup, name: string): void => {
    group.component = findFreeName(name, taken);
    taken.add(group.component);
  };
  const named = order.filter(({ name }) => name !== undefined);
  const received = named.filter(({ isReceived }) => isReceived);
  const receivedNames = new Set(received.map(({ name }) => name));
  for (const group of received) assign(group, group.name ?? '');
  for (const group of named.filter(({ isReceived }) => !isReceived)) {
    assign(group, receivedNames.has(group.name) ? `${group.name}Input` : (group.name ?? ''));
  }
  for (const group of order) {
    const isShared = group.uses > 1 || group.isReferenced;
    if (group.name !== undefined || !isShared) continue;
    assign(group, toPascalCase(group.context ?? '') || 'Schema');
  }
}
