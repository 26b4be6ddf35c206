import { type Application, isStandardSchema, type Route } from '@fairlead/core';
import { descriptionOf, throwTogether } from '@fairlead/core/extend';
import {
  arrayOf,
  either,
  findOptionProblems,
  fn,
  type Kinds,
  kind,
  object,
  oneOf,
} from '@fairlead/options';
import type { Unrepresentable } from './convert.js';
import type { Draft, OperationSource } from './draft.js';
import { ErrorResponses } from './error-responses.js';
import {
  ambiguousPaths,
  duplicateOperationId,
  inexpressibleMethod,
  inexpressibleSchema,
  throwProblems,
} from './errors.js';
import { findFreeName, toPascalCase } from './names.js';
import { createOperation } from './operation.js';
import { createOperationId, type PathTemplate, parseTemplate } from './paths.js';
import { Schemas } from './schemas.js';
import { SecuritySchemes } from './security.js';
import { shareSchemas } from './shared-schemas.js';

/** An Info Object. */
export interface DocumentInfo {
  readonly title: string;
  /** The version of the API. */
  readonly version: string;
  readonly summary?: string;
  /** May contain Markdown. */
  readonly description?: string;
  readonly termsOfService?: string;
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string };
  readonly license?: { readonly name: string; readonly identifier?: string; readonly url?: string };
}

/** A Server Object. */
export interface DocumentServer {
  /** Absolute, or relative to the document. May contain variables in braces. */
  readonly url: string;
  readonly description?: string;
  readonly variables?: Readonly<Record<string, object>>;
}

/** A Tag Object. */
export interface DocumentTag {
  readonly name: string;
  /** May contain Markdown. */
  readonly description?: string;
}

/** Options of {@link createDocument}. */
export interface DocumentOptions {
  /** Title, version and further metadata of the API. */
  readonly info: DocumentInfo;
  /** Where the API is; the server of the document by default. */
  readonly servers?: readonly DocumentServer[];
  /** Order and descriptions of tags. Tags that only routes name come after them. */
  readonly tags?: readonly DocumentTag[];
  /**
   * Routes to leave out, besides those with `hidden: true`: path prefixes such as `/health`, or a
   * function that returns true for them.
   */
  readonly exclude?: readonly string[] | ((route: Route) => boolean);
  /**
   * What to do with a schema that JSON Schema cannot express: throw an `error`, which is the default, or
   * describe it as `{}`, which allows `any` value.
   */
  readonly unrepresentable?: Unrepresentable;
  /**
   * Describes the bodies of errors, for an application whose option `format` replaces them: a Standard
   * Schema or a JSON Schema. By default, errors are problems of RFC 9457.
   */
  readonly errorSchema?: object;
}

/** An OpenAPI document. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: DocumentInfo;
  readonly servers: readonly DocumentServer[];
  readonly tags?: readonly DocumentTag[];
  /** The Path Item Objects, by path. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

/** The methods of a Path Item Object. OpenAPI 3.1 §4.8.9 */
const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'];

/** The methods by which a route for every method is described. GET implies HEAD. */
const ALL_METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'PATCH'];

/** The kinds of the options. */
export const DOCUMENT_KINDS: Kinds<DocumentOptions> = {
  info: kind('an object with a title and a version', isInfo),
  servers: arrayOf(object, 'an array of objects such as { url }'),
  tags: arrayOf(object, 'an array of objects such as { name }'),
  exclude: either(arrayOf(kind('a path', isPath), "an array of paths such as '/health'"), fn),
  unrepresentable: oneOf('error', 'any'),
  errorSchema: either(kind('a Standard Schema', isStandardSchema), object),
};

function isInfo(value: unknown): boolean {
  const { title, version }: { title?: unknown; version?: unknown } = Object(value);
  return [title, version].every((text) => typeof text === 'string' && text !== '');
}

function isPath(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('/');
}

/**
 * Checks the options of a call.
 *
 * @throws {SetupError} `INVALID_OPTION`, with every problem.
 */
export function checkOptions<Options extends DocumentOptions>(
  call: string,
  options: Options,
  kinds: Kinds<Options>,
): void {
  const problems = findOptionProblems(call, options, kinds);
  if (options?.info === undefined) problems.push(`${call} needs info. Pass a title and a version.`);
  throwTogether(problems);
}

/**
 * Describes the routes of an application as an OpenAPI 3.1 document. Paths, operations and components are
 * in the order of registration, so that the same routes result in the same text.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid; `INEXPRESSIBLE_SCHEMA`,
 *   `INEXPRESSIBLE_METHOD`, `DUPLICATE_OPERATION_ID`, `AMBIGUOUS_PATHS` or `CONFLICTING_SECURITY`, when a
 *   route cannot be described.
 * @throws {DocumentError} When routes cause several problems.
 * @see https://spec.openapis.org/oas/v3.1.1
 */
export function createDocument(app: Application, options: DocumentOptions): OpenApiDocument {
  checkOptions('createDocument()', options, DOCUMENT_KINDS);
  return JSON.parse(writeDocument(app, options));
}

/** Creates a document as JSON. The options are valid. */
export function writeDocument(app: Application, options: DocumentOptions): string {
  const { info, servers = [{ url: '/' }], tags = [], exclude = [] } = options;
  const draft = createDraft(app, options);
  const isExcluded = typeof exclude === 'function' ? exclude : isBelow(exclude);
  const routes = app
    .routes()
    .filter((route) => !route.options.hidden && !isExcluded(route) && !opensSockets(route));
  const operations = findOperations(routes, draft.problems);

  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const path = paths[operation.template] ?? {};
    path[operation.method] = createOperation(operation, draft);
    paths[operation.template] = path;
  }
  throwProblems(draft.problems);

  const responses = Object.fromEntries(draft.errors.responses);
  const schemas = shareSchemas(draft.schemas.nodes, { paths, responses });
  const used = new Set(operations.flatMap(({ route }) => route.options.tags ?? []));
  for (const { name } of tags) used.delete(name);
  const allTags = [...tags, ...[...used].map((name) => ({ name }))];
  return JSON.stringify({
    openapi: '3.1.1',
    info,
    servers,
    ...(allTags.length > 0 && { tags: allTags }),
    paths,
    components: withoutEmpty({
      schemas,
      responses,
      securitySchemes: Object.fromEntries(draft.security.schemes),
    }),
  });
}

function createDraft(app: Application, options: DocumentOptions): Draft {
  const { unrepresentable = 'error', errorSchema } = options;
  const problems: Error[] = [];
  const reportFor = (place: string) => (reason: string) => {
    if (unrepresentable === 'error') problems.push(inexpressibleSchema(place, reason));
  };
  const schemas = new Schemas(unrepresentable);
  const report = reportFor('errors with the option errorSchema');
  const errors = new ErrorResponses(schemas, app.validationStatus, errorSchema, report);
  return { schemas, errors, security: new SecuritySchemes(), problems, reportFor };
}

function isBelow(prefixes: readonly string[]): (route: Route) => boolean {
  const starts = prefixes.map((prefix) => prefix.replace(/\/+$/, ''));
  return ({ pattern }) => starts.some((start) => `${pattern}/`.startsWith(`${start}/`));
}

/** Lists the operations of routes, with unique IDs. */
function findOperations(routes: readonly Route[], problems: Error[]): readonly OperationSource[] {
  const parsed = routes.map((route) => ({ route, path: parseTemplate(route.pattern) }));
  const methods = new Set(parsed.map(({ route, path }) => keyOf(route.method, path)));
  const paths = new Map<string, PathTemplate>();
  const owners = new Map<string, string>();
  const found = parsed.flatMap(({ route, path }) => {
    const label = `${route.method} ${route.pattern}`;
    const first = paths.get(path.shape) ?? path;
    paths.set(path.shape, first);
    if (route.method !== 'ALL' && !METHODS.includes(route.method)) {
      problems.push(inexpressibleMethod(label, route.method));
      return [];
    }
    const isAll = route.method === 'ALL';
    const own = isAll
      ? ALL_METHODS.filter((method) => !methods.has(keyOf(method, path)))
      : [route.method];
    return own.flatMap((upper) => {
      const owner = owners.get(`${upper} ${path.shape}`);
      owners.set(`${upper} ${path.shape}`, label);
      if (owner !== undefined) problems.push(ambiguousPaths(owner, label));
      const method = upper.toLowerCase();
      const { operationId: given } = route.options;
      const explicit = isAll && given !== undefined ? given + toPascalCase(method) : given;
      return [
        { route, label, method, path, template: first.template, names: first.names, explicit },
      ];
    });
  });

  const taken = new Map<string, string>();
  for (const { explicit, label } of found) {
    if (explicit === undefined) continue;
    const first = taken.get(explicit);
    if (first !== undefined) problems.push(duplicateOperationId(explicit, first, label));
    taken.set(explicit, label);
  }
  return found.map(({ explicit, ...operation }) => {
    const { label, method, path } = operation;
    const id = explicit ?? findFreeName(createOperationId(method, path.template), taken);
    taken.set(id, label);
    return { ...operation, operationId: id };
  });
}

/** Whether a route only opens WebSocket connections, which OpenAPI cannot describe. */
function opensSockets({ handlers }: Route): boolean {
  return handlers.some((one) => descriptionOf(one)?.role === 'websocket');
}

/** Two routes of the same key handle the same requests. */
function keyOf(method: string, { shape, wildcard }: PathTemplate): string {
  return `${method} ${shape} ${wildcard === undefined ? '' : '*'}`;
}

function withoutEmpty<Value extends object>(groups: Readonly<Record<string, Value>>) {
  return Object.fromEntries(
    Object.entries(groups).filter(([, group]) => Object.keys(group).length > 0),
  );
}
