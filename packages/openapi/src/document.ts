import { type Application, type Route, SetupError, type VersionSource } from '@fairlead/core';
import { opensWebSocket } from '@fairlead/core/extend';
import { atLine, describeValue, isIntended, joinWords, nearestName, warn } from '@fairlead/options';
import type { Draft, OpenApiVersion, OperationSource } from './draft.js';
import { ErrorResponses } from './error-responses.js';
import {
  ambiguousPaths,
  describeOmitted,
  duplicateOperationId,
  failedTransform,
  inexpressibleSchema,
  throwProblems,
} from './errors.js';
import { HeaderObjects } from './headers.js';
import { findFreeName, toPascalCase } from './names.js';
import { createOperation, createWebhook } from './operation.js';
import { createOperationId } from './operation-ids.js';
import {
  type DocumentOptions,
  type DocumentTag,
  isInfo,
  type OpenApiDocument,
  outerTags,
  type RouteSelection,
} from './options.js';
import { type PathTemplate, parseTemplate } from './paths.js';
import { Schemas } from './schemas.js';
import { SecuritySchemes } from './security.js';
import { shareSchemas } from './shared-schemas.js';

/** The values of the member `openapi`. */
const VERSIONS: Readonly<Record<OpenApiVersion, string>> = { '3.1': '3.1.1', '3.2': '3.2.0' };

/** The methods of a Path Item Object. OpenAPI 3.1 §4.8.9 */
const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'];

/** The methods that Path Item Objects of the latest version name. OpenAPI 3.2 §4.10 */
const NAMED_METHODS: ReadonlySet<string> = new Set([...METHODS, 'QUERY']);

/** The methods by which a route for every method is described. GET implies HEAD. */
const ALL_METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'PATCH'];

/**
 * Creates a document as JSON. Paths, operations and components are in the order of registration, so that the
 * same routes result in the same text.
 *
 * @param options - Valid ones.
 * @throws {SetupError} When a route cannot be described, or the option `transform` fails.
 * @throws {DocumentError} When routes cause several problems.
 * @see https://spec.openapis.org/oas/v3.1.1, https://spec.openapis.org/oas/v3.2.0
 */
export function writeDocument(app: Application, options: DocumentOptions): string {
  const { info, servers = [{ url: '/' }], externalDocs, webhooks = {}, include, exclude } = options;
  const draft = createDraft(app, options, app.versions);
  const isIncluded = include === undefined ? () => true : selects(include);
  const isExcluded = exclude === undefined ? () => false : selects(exclude);
  const all = describedRoutes(app);
  const version = chooseVersion(app, options, all);
  const routes = routesOf(version, all);
  const included = routes.filter((route) => isIncluded(route));
  const excluded = new Set(included.filter((route) => isExcluded(route)));
  const selected = new Set(included.filter((route) => !excluded.has(route)));
  if (include !== undefined && included.length === 0 && routes.length > 0 && !isIntended(include)) {
    // A document of webhooks, or of nothing, has no routes.
    const isMeant =
      Object.keys(webhooks).length > 0 || (Array.isArray(include) && include.length === 0);
    if (!isMeant)
      warn(
        'FAIRLEAD_DOCUMENT',
        describeUnmatched('include', info.title, include) + atLine(options),
      );
  }
  if (exclude !== undefined && excluded.size === 0 && routes.length > 0 && !isIntended(exclude)) {
    // Paths may exclude what is hidden anyway.
    const isMeant =
      typeof exclude !== 'function' &&
      ((Array.isArray(exclude) && exclude.length === 0) || app.routes().some(isExcluded));
    if (!isMeant)
      warn(
        'FAIRLEAD_DOCUMENT',
        describeUnmatched('exclude', info.title, exclude) + atLine(options),
      );
  }
  for (const message of describeUnknownTags(options, routes)) {
    warn('FAIRLEAD_DOCUMENT', message + atLine(options));
  }
  const operations = findOperations(routes, selected, draft).filter(({ route }) =>
    selected.has(route),
  );

  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const path = paths[operation.template] ?? {};
    const method = operation.method.toUpperCase();
    const created = createOperation(operation, draft);
    if (NAMED_METHODS.has(method)) path[operation.method] = created;
    else path.additionalOperations = { ...path.additionalOperations, [method]: created };
    paths[operation.template] = path;
  }
  const owners = new Map(operations.map(({ operationId, label }) => [operationId, label]));
  const described = Object.entries(webhooks).map(([name, webhook]) => {
    const label = `the webhook '${name}'`;
    const id = webhook.operationId ?? findFreeName(`on${toPascalCase(name)}`, owners);
    const owner = owners.get(id);
    if (owner !== undefined) draft.problems.push(duplicateOperationId(id, owner, label));
    owners.set(id, label);
    return [name, createWebhook(webhook, label, id, draft)];
  });
  throwProblems(draft.problems);
  if (options.version === undefined && draft.omitted.length > 0) {
    warn('FAIRLEAD_DOCUMENT', describeOmitted(draft.omitted) + atLine(options));
  }

  const content = {
    paths,
    ...(described.length > 0 && { webhooks: Object.fromEntries(described) }),
    responses: Object.fromEntries(draft.errors.responses),
    headers: Object.fromEntries(draft.headers.shared),
  };
  const schemas = shareSchemas(draft.schemas.nodes, content);
  const { responses, headers, ...operationsByPath } = content;
  const tags = findTags(options, routes, selected);
  const text = JSON.stringify({
    openapi: VERSIONS[draft.version],
    info,
    servers,
    ...(tags.length > 0 && { tags }),
    ...(externalDocs !== undefined && { externalDocs }),
    ...operationsByPath,
    components: withoutEmpty({
      schemas,
      responses,
      headers,
      securitySchemes: Object.fromEntries(draft.security.schemes),
    }),
    ...options.extensions,
  });
  return options.transform === undefined ? text : transform(text, options.transform);
}

/** Lists the versions that routes have. */
function versionsOf(routes: readonly Route[]): readonly string[] {
  return [...new Set(routes.flatMap(({ options }) => options.version ?? []))];
}

/** Returns the routes of a version. Those without a version are part of each. */
function routesOf(version: string | undefined, all: readonly Route[]): readonly Route[] {
  return all.filter(({ options }) => (options.version ?? version) === version);
}

/**
 * Returns the version of the routes that a document describes; undefined if routes have none.
 *
 * @throws {SetupError} `INVALID_OPTION`, when no route has it, or the document needs one.
 */
function chooseVersion(
  { versions }: Application,
  options: DocumentOptions,
  routes: readonly Route[],
): string | undefined {
  const known = versionsOf(routes);
  const { info, apiVersion = known.length > 0 ? versions?.default : undefined } = options;
  if (apiVersion === undefined ? known.length === 0 : known.includes(apiVersion)) return apiVersion;
  const described =
    known.length === 0
      ? 'no route has a version'
      : `routes have ${joinWords(known.map(describeValue), 'and')}`;
  const problem =
    apiVersion === undefined
      ? 'needs the option apiVersion'
      : `cannot describe the version ${describeValue(apiVersion)}`;
  const fix =
    known.length === 0
      ? 'Remove apiVersion'
      : 'Pass one of them as apiVersion, and install the plugin once for each';
  throw new SetupError(
    'INVALID_OPTION',
    `The document '${info.title}' ${problem}: ${described}. ${fix}.${atLine(options)}`,
  );
}

/** Lists the tags of a document: those of its options, then those that its routes and webhooks add. */
function findTags(
  { tags = [], webhooks = {}, version = '3.1' }: DocumentOptions,
  routes: readonly Route[],
  selected: ReadonlySet<Route>,
): readonly DocumentTag[] {
  const tagsOf = (some: Iterable<Route>) => [...some].flatMap(({ options }) => options.tags ?? []);
  const ofWebhooks = Object.values(webhooks).flatMap((webhook) => webhook.tags ?? []);
  const used = new Set([...tagsOf(selected), ...ofWebhooks]);
  // A tag whose routes are all left out may be as internal as they are.
  const outer = tags.flatMap((tag) => (used.has(tag.name) ? outerTags(tag, tags) : []));
  const needed = new Set([...used, ...outer]);
  const unused = new Set(tagsOf(routes).filter((name) => !needed.has(name)));
  const described = tags.filter(({ name }) => !unused.has(name));
  for (const { name } of described) used.delete(name);
  const supported = version === '3.1' ? described.map(withoutHierarchy) : described;
  return [...supported, ...[...used].map((name) => ({ name }))];
}

/** Removes what tags do not have in OpenAPI 3.1. */
function withoutHierarchy({ summary: _, parent: _parent, kind: _kind, ...tag }: DocumentTag) {
  return tag;
}

/**
 * Lets a function change a finished document.
 *
 * @throws {SetupError} `TRANSFORM_FAILED`, when the function throws or returns something else.
 */
function transform(text: string, change: NonNullable<DocumentOptions['transform']>): string {
  const document: OpenApiDocument = JSON.parse(text);
  let result: unknown;
  let written: string;
  try {
    result = change(document) ?? document;
    written = JSON.stringify(result);
  } catch (cause) {
    throw failedTransform(cause instanceof Error ? cause.message : String(cause), { cause });
  }
  const { openapi, info }: Partial<OpenApiDocument> = Object(result);
  if (typeof openapi === 'string' && isInfo(info)) return written;
  throw failedTransform(`it returned ${describeValue(result)}, which is not an OpenAPI document.`);
}

/** An Operation Object. Its schemas may refer to components. */
export interface OperationObject {
  readonly operationId: string;
  /** The ways to authenticate, one of which is enough. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly description?: string;
    readonly required?: boolean;
    readonly style?: string;
    readonly explode?: boolean;
    readonly schema: object;
  }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema?: object }>>;
    readonly required?: boolean;
  };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: object }>> }>
  >;
}

/** What {@link describeRoute} returns. */
export interface RouteDescription {
  /** The path, such as `/users/{id}`. */
  readonly path: string;
  readonly operation: OperationObject;
  /** The schemas to which the operation refers, by name: `#/components/schemas/User` is `User`. */
  readonly schemas: Readonly<Record<string, object>>;
}

/**
 * Describes a route as {@link createDocument} does, for packages that use its schemas in another way. Describes also
 * routes with `hidden: true` or a method that OpenAPI lacks, and what JSON Schema cannot express as `{}`.
 *
 * @param route - One of `app.routes()`, for a single method.
 * @throws The errors of {@link createDocument}.
 */
export function describeRoute(app: Application, route: Route): RouteDescription {
  const draft = createDraft(app, {
    info: { title: '', version: '' },
    version: '3.2',
    unrepresentable: 'any',
  });
  const method = route.method.toLowerCase();
  const path = parseTemplate(route.pattern);
  const { template, names } = path;
  const operationId = route.options.operationId ?? createOperationId(method, template);
  const label = `${route.method} ${route.pattern}`;
  const source = { route, label, method, operationId, path, template, names };
  const operation = createOperation(source, draft);
  throwProblems(draft.problems);
  const schemas = shareSchemas(draft.schemas.nodes, operation);
  return JSON.parse(JSON.stringify({ path: template, operation, schemas }));
}

/** An operation, of one method and one path. */
export interface DescribedOperation {
  readonly route: Route;
  /** In upper case. */
  readonly method: string;
  /** The path, such as `/users/{id}`. */
  readonly path: string;
  readonly operation: OperationObject;
}

/** What {@link describeOperations} returns. */
export interface OperationDescriptions {
  readonly operations: readonly DescribedOperation[];
  /** What the operations refer to, by kind and name: `#/components/schemas/User`. */
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
  /** Whether the bodies of errors are those that the application sends, as far as its options tell. */
  readonly knowsErrors: boolean;
}

/**
 * Describes the operations of all routes, except of those with `hidden: true` and of those for WebSocket connections.
 * Routes of several versions have the same path.
 *
 * @param errorSchema - Describes the bodies of errors; undefined for problems of RFC 9457.
 * @throws The errors of {@link createDocument}.
 */
export function writeOperations(
  app: Application,
  errorSchema: object | undefined,
): Omit<OperationDescriptions, 'knowsErrors'> {
  const options: DocumentOptions = {
    info: { title: '', version: '' },
    version: '3.2',
    unrepresentable: 'any',
    ...(errorSchema !== undefined && { errorSchema }),
  };
  const draft = createDraft(app, options, app.versions);
  const routes = describedRoutes(app);
  const known = versionsOf(routes);
  const versions = known.length > 0 ? known : [undefined];
  const sources = versions.flatMap((version, index) => {
    const own = routesOf(version, routes);
    const found = findOperations(own, new Set(own), draft);
    // Routes without a version are part of each.
    return found.filter(({ route }) => index === 0 || route.options.version !== undefined);
  });
  const operations = sources.map((source) => createOperation(source, draft));
  throwProblems([...new Map(draft.problems.map((one) => [one.message, one])).values()]);
  const responses = Object.fromEntries(draft.errors.responses);
  const headers = Object.fromEntries(draft.headers.shared);
  const schemas = shareSchemas(draft.schemas.nodes, { operations, responses, headers });
  const securitySchemes = Object.fromEntries(draft.security.schemes);
  const written = JSON.parse(
    JSON.stringify({ operations, components: { schemas, responses, headers, securitySchemes } }),
  );
  return {
    components: written.components,
    operations: sources.map(({ route, method, template }, index) => ({
      route,
      method: method.toUpperCase(),
      path: template,
      operation: written.operations[index],
    })),
  };
}

/**
 * Names routes as the operation IDs of a document would. A name belongs to the first path of a registration; further
 * paths and methods add to it.
 *
 * @param nameOf - Returns the name that a route is given; undefined to create one of its method and its path.
 * @returns The names, except of routes for every method and for WebSocket connections.
 */
export function nameRoutes(
  app: Application,
  nameOf: (route: Route) => string | undefined,
): ReadonlyMap<Route, string> {
  const routes = app
    .routes()
    .filter((route) => !opensWebSocket(route.handlers) && route.method !== 'ALL');
  const inOrder = [false, true].flatMap((isHidden) =>
    routes.filter(({ options }) => Boolean(options.hidden) === isHidden),
  );
  const draft = { version: '3.2' as const, problems: [], omitted: [] };
  const operations = findOperations(inOrder, new Set(), draft, nameOf);
  return new Map(operations.map(({ route, operationId }) => [route, operationId]));
}

function createDraft(app: Application, options: DocumentOptions, versions?: VersionSource): Draft {
  const { version = '3.1', unrepresentable = 'error', errorSchema } = options;
  const problems: Error[] = [];
  const reportFor = (place: string) => (reason: string, fix?: string | undefined) => {
    if (unrepresentable === 'error') problems.push(inexpressibleSchema(place, reason, fix));
  };
  const schemas = new Schemas(unrepresentable);
  const report = reportFor('errors with the option errorSchema');
  const errors = new ErrorResponses(schemas, app.validationStatus, errorSchema, report);
  const headers = new HeaderObjects(schemas);
  const security = new SecuritySchemes();
  return {
    ...{ version, versions, schemas, errors, headers, security, problems, omitted: [] },
    reportFor,
  };
}

/** Returns a function that tells whether a route is selected. */
function selects(selection: RouteSelection): (route: Route) => boolean {
  if (typeof selection === 'function') return selection;
  if ('tags' in selection) {
    const names = new Set(selection.tags);
    return ({ options }) => options.tags?.some((tag) => names.has(tag)) ?? false;
  }
  const starts = selection.map((prefix) => prefix.replace(/(?<!\/)\/+$/, ''));
  return ({ pattern }) => starts.some((start) => `${pattern}/`.startsWith(`${start}/`));
}

function describeUnmatched(option: string, title: string, selection: RouteSelection): string {
  const shown = typeof selection === 'function' ? 'its function' : JSON.stringify(selection);
  return `The option ${option} of the document '${title}' matches no route: ${shown}. Correct it, or pass it to intended().`;
}

/** Describes the tags of the options that no route has, although one has a similar tag. */
function describeUnknownTags(
  { info, tags = [], webhooks = {} }: DocumentOptions,
  routes: readonly Route[],
): readonly string[] {
  if (isIntended(tags)) return [];
  const all = [...routes.map(({ options }) => options), ...Object.values(webhooks)];
  const used = new Set(all.flatMap((one) => one.tags ?? []));
  const declared = new Set(tags.map(({ name }) => name));
  const parents = new Set(tags.map(({ parent }) => parent));
  const undeclared = [...used].filter((name) => !declared.has(name));
  return [...declared].flatMap((name) => {
    if (used.has(name) || parents.has(name)) return [];
    const meant = nearestName(name, undeclared);
    if (meant === undefined) return [];
    return `The document '${info.title}' describes the tag '${name}', which no route has. Write '${meant}', or pass tags to intended().`;
  });
}

/**
 * Lists the operations of routes. Their paths and IDs are those of a document with all routes.
 *
 * @param selected - The routes whose problems count.
 */
function findOperations(
  routes: readonly Route[],
  selected: ReadonlySet<Route>,
  { version, problems, omitted }: Pick<Draft, 'version' | 'problems' | 'omitted'>,
  nameOf = ({ options }: Route): string | undefined => options.operationId,
): readonly OperationSource[] {
  const parsed = routes.map((route) => ({ route, path: parseTemplate(route.pattern) }));
  const methods = new Set(parsed.map(({ route, path }) => keyOf(route.method, path)));
  const paths = new Map<string, PathTemplate>();
  const owners = new Map<string, string>();
  // The methods and the first path of each route, which shares its options among all of its patterns.
  const methodsOf = new Map<object, Set<string>>();
  const origins = new Map<object, PathTemplate>();
  for (const { method, options } of routes) {
    methodsOf.set(options, (methodsOf.get(options) ?? new Set()).add(method));
  }
  const found = parsed.flatMap(({ route, path }) => {
    const label = `${route.method} ${route.pattern}`;
    const first = paths.get(path.shape) ?? path;
    paths.set(path.shape, first);
    const isSelected = selected.has(route);
    if (version === '3.1' && route.method !== 'ALL' && !METHODS.includes(route.method)) {
      if (isSelected) omitted.push(label);
      return [];
    }
    const isAll = route.method === 'ALL';
    const own = isAll
      ? ALL_METHODS.filter((method) => !methods.has(keyOf(method, path)))
      : [route.method];
    return own.flatMap((upper) => {
      const owner = owners.get(`${upper} ${path.shape}`);
      if (isSelected) owners.set(`${upper} ${path.shape}`, label);
      if (isSelected && owner !== undefined) problems.push(ambiguousPaths(owner, label));
      const method = upper.toLowerCase();
      const given = nameOf(route);
      const hasSeveral = isAll || (methodsOf.get(route.options)?.size ?? 0) > 1;
      const id = hasSeveral && given !== undefined ? given + toPascalCase(method) : given;
      const origin = origins.get(route.options) ?? path;
      origins.set(route.options, origin);
      const isFurther = path.template !== origin.template;
      const wanted =
        id === undefined
          ? createOperationId(method, path.template)
          : `${id}${describeFurther(path, origin)}`;
      const explicit = isFurther ? undefined : id;
      const { template, names } = first;
      return [{ route, label, method, path, template, names, wanted, explicit }];
    });
  });

  const taken = new Set<string>();
  const owned = new Map<string, string>();
  for (const { explicit, label, route } of found) {
    if (explicit === undefined) continue;
    const first = owned.get(explicit);
    taken.add(explicit);
    if (!selected.has(route)) continue;
    if (first !== undefined) problems.push(duplicateOperationId(explicit, first, label));
    owned.set(explicit, label);
  }
  return found.map(({ explicit, wanted, ...operation }) => {
    const operationId = explicit ?? findFreeName(wanted, taken);
    taken.add(operationId);
    return { ...operation, operationId };
  });
}

/** Returns what the ID of a further path adds: the parameters that the first path of its route lacks. */
function describeFurther({ names }: PathTemplate, origin: PathTemplate): string {
  const added = names.filter((name) => !origin.names.includes(name)).map(toPascalCase);
  return added.length > 0 ? `By${added.join('And')}` : '';
}

/** Returns the routes that documents have. OpenAPI cannot describe WebSocket connections. */
function describedRoutes(app: Application): Route[] {
  return app
    .routes()
    .filter(({ options, handlers }) => !options.hidden && !opensWebSocket(handlers));
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
