import { type Application, type Route, type RouteInput, SetupError } from '@fairlead/core';
import {
  createTextReader,
  descriptionOf,
  mayBeEmpty,
  opensWebSocket,
  requiresMember,
} from '@fairlead/core/extend';
import {
  describeRoute,
  nameRoutes,
  type OperationObject,
  type RouteDescription,
} from '@fairlead/openapi';
import {
  atLine,
  hideProperties,
  isIntended,
  isJson,
  numberMessages,
  warn,
} from '@fairlead/options';
import type { Tool } from '@modelcontextprotocol/server';

/** Where an argument of a tool is in the request. */
export interface Argument {
  readonly source: 'path' | 'query' | 'body';
  /** Its name in the request; undefined for the whole body. */
  readonly name: string | undefined;
  /** Whether it is the rest of the path, with its slashes. */
  readonly isWildcard: boolean;
  /** Whether each member of the argument is a parameter of the query. */
  readonly isSpread: boolean;
}

/** A route as a tool. */
export interface RouteTool {
  readonly definition: Tool;
  readonly route: Route;
  /** Method and pattern of the route, for messages. */
  readonly label: string;
  /** The path with the names of parameters in braces. */
  readonly path: string;
  readonly arguments: ReadonlyMap<string, Argument>;
  /** Returns what the route reads in its path and its query, by source. */
  readonly read: ReadTarget;
  /** The media type of the body; undefined if the route reads none. */
  readonly mediaType: string | undefined;
  /** Whether a request needs a body. */
  readonly needsBody: boolean;
  /** Whether the route takes an `Idempotency-Key`. */
  readonly takesKey: boolean;
  /** Whether nothing guards the route, as far as it tells. */
  readonly isOpen: boolean;
}

/** The values that a route reads, by name. */
export interface Received {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
}

type ReadTarget = (params: Readonly<Record<string, string>>, query: URLSearchParams) => Received;

/** The tools of an application. */
export interface RouteTools {
  readonly byName: ReadonlyMap<string, RouteTool>;
  /** In the order of registration. */
  readonly definitions: Tool[];
}

/** A JSON Schema, as an object. */
type Schema = Readonly<Record<string, unknown>>;

/**
 * Creates the tools of an application, and warns about those that everyone may call.
 *
 * @throws {SetupError} `INVALID_TOOL`, when a route cannot be a tool, or two tools have the same name. The errors of
 *   `describeRoute()`.
 */
export function createTools(app: Application): RouteTools {
  const problems: Error[] = [];
  const byName = new Map<string, RouteTool>();
  const names = nameRoutes(app, givenName);
  for (const route of app.routes().filter(({ options }) => options.tool)) {
    try {
      const tool = createTool(app, route, givenName(route) && names.get(route));
      if (tool === undefined) continue;
      const { name } = tool.definition;
      const other = byName.get(name);
      if (other !== undefined) {
        const fix = "Give one of them another name, with tool: { name: '…' } or operationId.";
        throw invalid(
          `${other.label} and ${tool.label} are both the tool '${name}'. ${fix}`,
          route,
        );
      }
      byName.set(name, tool);
    } catch (error) {
      problems.push(...problemsOf(error));
    }
  }
  throwProblems(problems);
  warnAboutOpen([...byName.values()]);
  return { byName, definitions: [...byName.values()].map(({ definition }) => definition) };
}

/** Returns the name that a route is given; undefined for one of its method and its path. */
function givenName({ options: { tool, operationId } }: Route): string | undefined {
  return typeof tool === 'object' ? (tool.name ?? operationId) : operationId;
}

/** An error, or the errors that it numbers. */
function problemsOf(error: unknown): readonly Error[] {
  if (!(error instanceof Error)) throw error;
  const { problems }: { readonly problems?: readonly Error[] } = Object(error);
  return problems ?? [error];
}

function throwProblems(problems: readonly Error[]): void {
  const [first, second] = problems;
  if (first === undefined) return;
  if (second === undefined) throw first;
  const title = `Cannot create the tools: ${problems.length} problems.`;
  const text = numberMessages(
    title,
    problems.map(({ message }) => message),
  );
  const error = Object.assign(new SetupError('INVALID_TOOL', text), { problems });
  hideProperties(error, 'problems');
  throw error;
}

function invalid(problem: string, { options }: Route): SetupError {
  return new SetupError('INVALID_TOOL', problem + atLine(options));
}

/**
 * @param given - The name that a document would give to the route; undefined for one of its method and its path,
 *   which does not depend on other routes.
 * @returns Undefined for a route that no call could reach.
 */
function createTool(
  app: Application,
  route: Route,
  given: string | undefined,
): RouteTool | undefined {
  const { method, pattern, options, handlers } = route;
  const label = `${method} ${pattern}`;
  if (opensWebSocket(handlers)) {
    throw invalid(
      `${label} cannot be a tool, because it opens WebSocket connections. Remove tool from the route.`,
      route,
    );
  }
  if (method === 'ALL') {
    const fix = 'Register the route for one method, such as app.post().';
    throw invalid(`${label} cannot be a tool, because it handles every method. ${fix}`, route);
  }
  const description = describeRoute(app, route);
  const { operation, path } = description;
  const own = typeof options.tool === 'object' ? options.tool : {};
  const name = given ?? operation.operationId;
  if (!/^[\w.-]{1,128}$/.test(name)) {
    const fix =
      "Set tool: { name: '…' } with 1 to 128 letters, digits, underscores, hyphens and dots.";
    throw invalid(`${label} cannot be the tool '${name}'. ${fix}`, route);
  }
  const types = successesOf(operation).flatMap(({ content }) => Object.keys(content ?? {}));
  if (types.length > 0 && types.every((type) => type === 'text/event-stream')) {
    const fix = 'Return JSON, or remove tool from the route.';
    throw invalid(`${label} cannot be a tool, because it responds with events. ${fix}`, route);
  }
  const header = demandedHeader(route, operation);
  if (header !== undefined) {
    warn(
      'FAIRLEAD_TOOL',
      `The tool '${name}' is not offered, because agents cannot send the header '${header}' that ${label} demands. Make it optional, or remove tool from the route. If every client sends it, pass its schema to intended().${atLine(options)}`,
    );
    return undefined;
  }
  const inputs = createInputs(route, label, description);
  const outputSchema = createOutputSchema(route, description);
  const { summary } = operation;
  const text = own.description ?? [summary, operation.description].filter(Boolean).join('\n\n');
  const definition: Tool = {
    name,
    ...(summary !== undefined && { title: summary }),
    ...(text !== '' && { description: text }),
    inputSchema: inputs.schema,
    ...(outputSchema !== undefined && { outputSchema }),
    annotations: annotationsOf(method),
  };
  const { members, mediaType, needsBody } = inputs;
  const isOpen = isUnguarded(route, operation);
  return {
    ...{ definition, route, label, path, arguments: members, mediaType, needsBody, isOpen },
    takesKey: operation.parameters?.some(isKey) === true,
    read: createReadTarget(route),
  };
}

/** Creates the function that reads the texts of a target as the route does. */
function createReadTarget({ options: { params, query, inputs = [] } }: Route): ReadTarget {
  const all: Pick<RouteInput, 'source' | 'name' | 'all' | 'schema'>[] = [
    { source: 'param', schema: params },
    { source: 'query', schema: query },
    ...inputs,
  ];
  const readers = all.flatMap(({ source, schema, ...input }) => {
    if (schema === undefined || (source !== 'param' && source !== 'query')) return [];
    return [{ source, name: input.name, read: createTextReader({ ...input, source }, schema) }];
  });
  return (texts, searchParams) => {
    // The first value of each name counts.
    const first = Object.fromEntries([...searchParams].reverse());
    const received = { param: { ...texts }, query: { ...first } };
    for (const { source, name, read } of readers.toReversed()) {
      const value = read({ params: texts, query: first, searchParams });
      Object.assign(received[source], name === undefined ? value : { [name]: value });
    }
    return { path: received.param, query: received.query };
  };
}

/** Whether a parameter is the `Idempotency-Key`, which each call has. */
function isKey({ in: source, name }: { readonly in: string; readonly name: string }): boolean {
  return source === 'header' && name.toLowerCase() === 'idempotency-key';
}

const AUTHORIZATION = 'authorization';

/** Returns a header that a route demands, unless its schema is intended. */
function demandedHeader(
  { options }: Route,
  { parameters, security }: OperationObject,
): string | undefined {
  const { headers, inputs = [] } = options;
  const schemas = [headers, ...inputs.map(({ source, schema }) => source === 'header' && schema)];
  if (schemas.some((schema) => isIntended(schema))) return undefined;
  const demanded = parameters?.find(
    (one) => one.in === 'header' && one.required === true && !isKey(one),
  )?.name;
  const isSecured = security.some((way) => Object.keys(way).length > 0);
  if (demanded !== undefined || isSecured) return demanded;
  // Documents describe this header as security. Clients send it if the route declares any.
  const demandsToken = inputs.some(
    ({ source, name = '', required }) =>
      source === 'header' && name.toLowerCase() === AUTHORIZATION && required,
  );
  const isDemanded = demandsToken || (headers && requiresMember(headers, AUTHORIZATION));
  return isDemanded ? AUTHORIZATION : undefined;
}

/** Whether everyone may call a route, as far as its functions and options tell. */
function isUnguarded({ options, handlers, upstream = [] }: Route, { security }: OperationObject) {
  if (security.some((way) => Object.keys(way).length === 0)) return true;
  // Routes of controllers have this option if guards check their requests.
  if (security.length > 0 || options.security !== undefined) return false;
  return ![...upstream, ...handlers].some((one) => descriptionOf(one)?.role === 'guard');
}

/** What a method tells about a tool. RFC 9110 §9.2 */
function annotationsOf(method: string): Tool['annotations'] {
  if (/^(?:GET|HEAD|OPTIONS|QUERY)$/.test(method)) return { readOnlyHint: true };
  if (method === 'DELETE') return { destructiveHint: true, idempotentHint: true };
  return { idempotentHint: method === 'PUT' };
}

/** What agents pass to a tool. */
interface Inputs {
  readonly schema: Tool['inputSchema'];
  readonly members: ReadonlyMap<string, Argument>;
  readonly mediaType: string | undefined;
  readonly needsBody: boolean;
}

/**
 * Creates the schema of the arguments: the parameters of the path, those of the query, then the members of the body.
 * One whose name is taken gets the name of its source as a prefix, such as `body_id`.
 */
function createInputs(
  route: Route,
  label: string,
  { operation, schemas }: RouteDescription,
): Inputs {
  const members = new Map<string, Argument>();
  const properties: Record<string, unknown> = {};
  const required: string[] = [];
  const add = (argument: Argument, schema: object, isRequired: boolean): void => {
    const { source, name = source } = argument;
    const plain = name.replace(/[^\w.-]+/g, '_') || source;
    let free = members.has(plain) ? `${source}_${plain}` : plain;
    while (members.has(free)) free += '_';
    members.set(free, argument);
    Object.defineProperty(properties, free, { value: schema, enumerable: true });
    if (isRequired) required.push(free);
  };
  const isWildcard = /\*[^/*]*$/.test(route.pattern);
  const ofPath = operation.parameters?.filter((one) => one.in === 'path') ?? [];
  for (const parameter of operation.parameters ?? []) {
    const { name, in: source, description, schema, required: isRequired = false } = parameter;
    const { style, explode } = parameter;
    if (source !== 'path' && source !== 'query') continue;
    const isRest = isWildcard && parameter === ofPath.at(-1);
    const described = { ...(description !== undefined && { description }), ...schema };
    const isSpread = source === 'query' && style === 'form' && explode === true;
    add({ source, name, isWildcard: isRest, isSpread }, described, isRequired);
  }
  const body = readBody(route, label, operation);
  const needsBody = operation.requestBody?.required === true;
  if (body !== undefined) {
    const schema = resolve(body.schema, schemas);
    const argument = { source: 'body', isWildcard: false, isSpread: false } as const;
    const { properties: own, required: needed } = schema;
    if (hasOnlyMembers(schema)) {
      for (const [name, member] of Object.entries(Object(own))) {
        const isRequired = needsBody && Array.isArray(needed) && needed.includes(name);
        add({ ...argument, name }, Object(member), isRequired);
      }
    } else add({ ...argument, name: undefined }, body.schema, needsBody);
  }
  const schema = withDefinitions(
    {
      type: 'object',
      properties,
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    },
    schemas,
  );
  return {
    schema: { ...schema, type: 'object' },
    members,
    mediaType: body?.mediaType,
    needsBody,
  };
}

/** Whether a call can send a media type. */
function isSendable(type: string): boolean {
  return isJson(type) || /^(?:application\/x-www-form-urlencoded|text\/plain)$/.test(type);
}

/** Returns the media type and the schema of a route's body. */
function readBody(
  route: Route,
  label: string,
  { requestBody }: OperationObject,
): { readonly mediaType: string; readonly schema: object } | undefined {
  if (requestBody === undefined || route.method === 'GET' || route.method === 'HEAD') return;
  const { content } = requestBody;
  const types = Object.keys(content);
  const mediaType = types.find(isJson) ?? types.find(isSendable);
  if (mediaType !== undefined && isSendable(mediaType)) {
    return { mediaType, schema: content[mediaType]?.schema ?? {} };
  }
  const fix = 'Accept JSON, too, or remove tool from the route.';
  throw invalid(
    `${label} cannot be a tool, because it only reads ${types.join(' and ')}. ${fix}`,
    route,
  );
}

/** Keywords of an object schema that leave nothing out if its members become arguments. */
const PLAIN = new Set([
  ...['type', 'properties', 'required', 'additionalProperties'],
  ...['title', 'description', 'default', 'examples', 'deprecated'],
]);

/** Whether a schema describes objects by their members alone. */
function hasOnlyMembers(schema: Schema): boolean {
  return (
    schema.type === 'object' &&
    Object.keys(Object(schema.properties)).length > 0 &&
    (schema.additionalProperties ?? false) === false &&
    Object.keys(schema).every((keyword) => PLAIN.has(keyword))
  );
}

/** Lists the responses that are no errors. */
function successesOf({ responses }: OperationObject) {
  return Object.entries(responses).flatMap(([status, response]) =>
    /^[23]/.test(status) ? [response] : [],
  );
}

/** Returns the schema of the one successful response; undefined if there are several, or it may lack JSON. */
function createOutputSchema(
  { options }: Route,
  { operation, schemas }: RouteDescription,
): Tool['outputSchema'] {
  const [response, ...others] = successesOf(operation);
  const { 'application/json': json, ...otherTypes } = response?.content ?? {};
  if (Object.keys(otherTypes).length > 0) return undefined;
  const schema = json?.schema;
  if (schema === undefined || others.length > 0 || mayBeEmpty(options)) return undefined;
  const resolved = resolve(schema, schemas);
  if (Object.keys(resolved).length === 0) return undefined;
  return { ...withDefinitions(resolved, schemas) };
}

/** Returns the schema to which another one refers. */
function resolve(schema: object, schemas: RouteDescription['schemas']): Schema {
  const { $ref, ...others }: Schema = Object(schema);
  const name = nameOf($ref) ?? '';
  const target = Object.keys(others).length === 0 ? schemas[name] : undefined;
  return target === undefined ? Object(schema) : resolve(target, schemas);
}

/** Returns the name of the schema that a reference leads to; undefined for other values. */
function nameOf(reference: unknown): string | undefined {
  return /^#\/components\/schemas\/(.+)$/.exec(String(reference))?.[1];
}

/** Adds the schemas to which a schema refers. */
function withDefinitions(schema: object, schemas: RouteDescription['schemas']): Schema {
  const $defs: Record<string, unknown> = {};
  const localize = (value: object): Schema =>
    JSON.parse(JSON.stringify(value), (key, member: unknown) => {
      // Tells clients to repeat arguments in headers, which a server has to compare.
      if (key === 'x-mcp-header' && typeof member === 'string') return undefined;
      const name = nameOf(member);
      if (key !== '$ref' || name === undefined) return member;
      if (!Object.hasOwn($defs, name)) {
        $defs[name] = {};
        $defs[name] = localize(schemas[name] ?? {});
      }
      return `#/$defs/${name}`;
    });
  const localized = localize(schema);
  return Object.keys($defs).length === 0 ? localized : { ...localized, $defs };
}

/** Warns about tools whose routes nothing guards. */
function warnAboutOpen(tools: readonly RouteTool[]): void {
  const open = tools.filter(({ isOpen, route }) => isOpen && route.options.public === undefined);
  for (const { label, definition, route } of open) {
    warn(
      'FAIRLEAD_TOOL',
      `Everyone can call the tool '${definition.name}', because nothing guards ${label}. Add a guard, describe the middleware that checks its requests with secured() of @fairlead/openapi, or pass public: 'a reason' to the route if everyone may.${atLine(route.options)}`,
    );
  }
}
