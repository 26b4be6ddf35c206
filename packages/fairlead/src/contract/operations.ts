import { type Document, isNode, listOf, type Node, nodeOf, nodesOf } from '../client/index.js';

/** An operation of a document. */
export interface Operation {
  /** Such as `POST /users/{id}`. */
  readonly label: string;
  readonly method: string;
  /** Such as `/users/{id}`. */
  readonly path: string;
  readonly document: Document;
  readonly node: Node;
  /** By place and name: `query page`. Those in a path have their position: `path 0`. */
  readonly parameters: ReadonlyMap<string, Parameter>;
}

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly node: Node;
}

const METHODS = new Set([
  'get',
  'put',
  'post',
  'delete',
  'options',
  'head',
  'patch',
  'trace',
  'query',
]);

/**
 * Reads the operations of paths.
 *
 * @returns By method and path, with the names of path parameters left out: `GET /users/{}`.
 */
export function operationsOf(document: Document): ReadonlyMap<string, Operation> {
  const found = nodesOf(document.root.paths).flatMap(([path, item]) =>
    readItem(document, item, path, (method) => `${method} ${path}`),
  );
  return new Map(found.map((one) => [`${one.method} ${shapeOf(one.path)}`, one]));
}

/** Reads the requests that the application sends, by name and method. */
export function webhooksOf(document: Document): ReadonlyMap<string, Operation> {
  const found = nodesOf(document.root.webhooks).flatMap(([name, item]) =>
    readItem(document, item, '', (method) => `webhook ${name} (${method})`),
  );
  return new Map(found.map((one) => [one.label, one]));
}

/** Reads the requests that the application sends because of an operation, by name, address and method. */
export function callbacksOf({ label, document, node }: Operation): ReadonlyMap<string, Operation> {
  const found = nodesOf(node.callbacks).flatMap(([name, callback]) =>
    nodesOf(document.resolve(callback)).flatMap(([address, item]) =>
      readItem(document, item, '', (method) => `${label} callback ${name} (${method} ${address})`),
    ),
  );
  return new Map(found.map((one) => [one.label.slice(label.length), one]));
}

function readItem(
  document: Document,
  reference: Node,
  path: string,
  labelOf: (method: string) => string,
): readonly Operation[] {
  const item = {
    ...document.resolve(reference),
    ...(reference.$ref === undefined ? {} : omitRef(reference)),
  };
  const entries = [...nodesOf(item), ...nodesOf(item.additionalOperations)];
  return entries.flatMap(([key, node]) => {
    const isOther = isNode(nodeOf(item.additionalOperations)[key]);
    if (!METHODS.has(key) && !isOther) return [];
    const method = key.toUpperCase();
    const label = labelOf(method);
    document.place = label;
    const names = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name);
    const parameters = [...listOf(item.parameters), ...listOf(node.parameters)].flatMap((one) => {
      const parameter = document.resolve(one);
      const [name, place] = [String(parameter.name), String(parameter.in)];
      if (place === 'header' && IGNORED.has(name.toLowerCase())) return [];
      const key =
        place === 'path' ? names.indexOf(name) : place === 'header' ? name.toLowerCase() : name;
      return [[`${place} ${key}`, { name, in: place, node: parameter }] as const];
    });
    const { servers } = item;
    const own = { ...(servers !== undefined && { servers }), ...node };
    return [{ label, method, path, document, node: own, parameters: new Map(parameters) }];
  });
}

function omitRef({ $ref: _, ...others }: Node): Node {
  return others;
}

/** Parameters that OpenAPI ignores. OpenAPI 3.1 §4.8.12.2 */
const IGNORED = new Set(['accept', 'content-type', 'authorization']);

/** Returns a path without the names of its parameters. */
export function shapeOf(path: string): string {
  return path.replace(/\{[^{}]*\}/g, '{}');
}

/** Whether a path with parameters may match another one. Many servers ignore a slash at the end. */
export function mayMatch(general: string, path: string): boolean {
  const segmentsOf = (one: string) => shapeOf(one).replace(/\/$/, '').split('/');
  const [segments, others] = [segmentsOf(general), segmentsOf(path)];
  return (
    segments.length === others.length &&
    segments.every((one, index) => one === '{}' || one === others[index])
  );
}

/** Returns the day from which on an operation or a parameter may be gone; undefined without one. */
export function sunsetOf(node: Node): string | undefined {
  const [day] = /^\d{4}-\d\d-\d\d/.exec(String(node['x-sunset'] ?? '')) ?? [];
  return day;
}

/** Tells in a change that something is deprecated now, with its sunset if it has one. */
export function describeDeprecation(node: Node): string {
  const sunset = sunsetOf(node);
  return `is deprecated now${sunset === undefined ? '' : `, with its sunset on ${sunset}`}`;
}
