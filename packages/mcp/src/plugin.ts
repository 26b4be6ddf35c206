import {
  type Application,
  BadRequestError,
  type Context,
  ForbiddenError,
  type Handler,
  json,
  type Middleware,
  type Plugin,
  type Route,
} from '@fairlead/core';
import {
  describe,
  describeFactories,
  descriptionOf,
  flatten,
  isSecured,
  isUnknown,
  throwTogether,
} from '@fairlead/core/extend';
import {
  atLine,
  captureCaller,
  describeValue,
  findOptionProblems,
  hiddenRouteAt,
  integer,
  isIntended,
  type Kinds,
  kind,
  locatorOf,
  named,
  nonEmptyString,
  origins,
  setLocation,
  warn,
} from '@fairlead/options';
import {
  createMcpHandler,
  type McpHttpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { callTool, createFinder, type FindRoute } from './call.js';
import { createTools, type RouteTools } from './tools.js';

/** How clients find out where to get tokens for the server. */
export interface McpAuthorization {
  /** The URL of the endpoint as clients know it, such as `https://api.example.com/mcp`. */
  readonly resource: string;
  /** The issuer identifiers of the authorization servers. */
  readonly servers: readonly string[];
  /** The scopes that clients request by default. */
  readonly scopes?: readonly string[];
}

/** Options of {@link mcp}. */
export interface McpOptions {
  /** The name of the server, for clients. */
  readonly name: string;
  /** The version of the server, for clients. */
  readonly version: string;
  /** Path of the endpoint; `/mcp` by default. */
  readonly path?: string;
  /** What agents should know about all tools together. */
  readonly instructions?: string;
  /** The origins whose pages may call tools, such as `https://app.example.com`; none by default. */
  readonly origins?: readonly string[];
  /** The largest response that becomes a result, in bytes; 262,144 (256 KiB) by default. */
  readonly resultLimit?: number;
  /** Describes who issues tokens, at `/.well-known/oauth-protected-resource` and the path of the endpoint. */
  readonly authorization?: McpAuthorization;
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

const url = kind(
  "an absolute URL without a fragment, such as 'https://login.example.com'",
  (value) => typeof value === 'string' && /^https?:\/\/[^#]*$/.test(value) && URL.canParse(value),
);

const urls = kind(
  "an array of absolute URLs, such as ['https://login.example.com']",
  (value) => Array.isArray(value) && value.length > 0 && value.every(url.accepts),
);

const KINDS: Kinds<McpOptions> = {
  name: nonEmptyString,
  version: nonEmptyString,
  path: kind(
    "a path without parameters, such as '/mcp'",
    (value) => typeof value === 'string' && /^(?:\/[\w\-.~]+)+$/.test(value),
  ),
  instructions: nonEmptyString,
  origins,
  resultLimit: integer(1, undefined, 'number of bytes'),
  authorization: kind(
    'an object { resource, servers, scopes } with absolute URLs',
    isAuthorization,
  ),
};

function isAuthorization(value: unknown): boolean {
  const { resource, servers, scopes = [], ...others }: Partial<McpAuthorization> = Object(value);
  const isList = Array.isArray(scopes) && scopes.every(nonEmptyString.accepts);
  return (
    url.accepts(resource) && urls.accepts(servers) && isList && Object.keys(others).length === 0
  );
}

/** What handles requests to the endpoint of a sealed application. */
interface Endpoint {
  readonly tools: RouteTools;
  readonly handler: McpHttpHandler;
}

/**
 * Creates a plugin that serves the routes with the option `tool` as tools of the Model Context Protocol, over
 * streamable HTTP without sessions. A call of a tool runs the whole pipeline of its route.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid. At application startup,
 *   `INVALID_TOOL`, when a route cannot be a tool, or two tools have the same name; the errors of
 *   `createDocument()` of `@fairlead/openapi`, when a route cannot be described.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
export function mcp(options: McpOptions): Plugin {
  const problems = findOptionProblems('mcp()', options, KINDS);
  for (const name of ['name', 'version'] as const) {
    if (options?.[name] === undefined) problems.push(`mcp() needs a ${name}. Pass one.`);
  }
  throwTogether(problems);
  const { path = '/mcp', origins = [], authorization } = options;
  const endpoints = new Map<object, Endpoint>();
  const contexts = new WeakMap<Request, Context>();
  const parse = json();
  const respond: Middleware = async (ctx) => {
    assertOrigin(ctx, origins);
    assertOneToken(ctx);
    // Does nothing if middleware has read the body.
    await parse(ctx, () => undefined);
    const { body } = ctx;
    if (Array.isArray(body)) throw new BadRequestError('Send one message per request, not a batch');
    const headers = new Headers(
      Object.entries(ctx.headers).map(([name, value]) => [name, String(value)] as [string, string]),
    );
    const { href } = new URL(path, 'http://localhost');
    const request = new Request(href, { method: 'POST', headers, signal: ctx.signal });
    contexts.set(request, ctx);
    return endpoints.get(ctx.app)?.handler.fetch(request, { parsedBody: body ?? null });
  };
  const plugin: Plugin = {
    name: 'mcp',
    install(app) {
      const hidden = hiddenRouteAt(locatorOf(plugin));
      app.post(
        path,
        hidden,
        describe(named('mcp', respond), {
          name: 'mcp()',
          servesTools: true,
          public: 'Each call of a tool runs the guards of its route.',
        }),
      );
      if (authorization === undefined) return;
      const { resource, servers, scopes } = authorization;
      const describeResource: Handler = (ctx) => {
        ctx.set('Access-Control-Allow-Origin', '*');
        return {
          resource,
          authorization_servers: servers,
          ...(scopes !== undefined && { scopes_supported: scopes }),
          bearer_methods_supported: ['header'],
        };
      };
      describe(describeResource, { public: 'Clients need it to get a token.' });
      app.get(`${WELL_KNOWN}${path}`, hidden, describeResource);
    },
    ready(app) {
      const tools = createTools(app);
      const find = createFinder(app.routes(), app.versions);
      const handler = createMcpHandler(
        ({ requestInfo }) => {
          const ctx = requestInfo && contexts.get(requestInfo);
          if (ctx === undefined) throw new Error('The request is not one of the endpoint.');
          return createServer(options, app, tools, find, ctx);
        },
        // The tools never change, so there is nothing to subscribe to.
        { maxSubscriptions: 0 },
      );
      endpoints.set(app, { tools, handler });
      if (isIntended(plugin)) return;
      const doubts = describeDoubts(path, authorization?.resource, tools);
      const audience = describeAudience(app, respond, authorization?.resource);
      const lack = authorization ? describeLackOfCheck(app, respond, path) : [];
      for (const message of [...doubts, ...audience, ...lack])
        warn('FAIRLEAD_TOOL', message + atLine(plugin));
    },
    async close() {
      for (const { handler } of endpoints.values()) await handler.close();
    },
  };
  setLocation(plugin, captureCaller(mcp));
  return plugin;
}

/**
 * Describes a check of tokens that rejects those of agents, who ask for tokens for the resource.
 *
 * @see RFC 8707 §2
 */
function describeAudience(
  app: Application,
  endpoint: Middleware,
  resource: string | undefined,
): readonly string[] {
  if (resource === undefined) return [];
  for (const { method, pattern, options, handlers, upstream = [] } of app.routes()) {
    if (!options.tool && !handlers.includes(endpoint)) continue;
    const { name, audiences = [] } =
      flatten([...upstream, ...handlers])
        .map(descriptionOf)
        .find((one) => one?.audiences?.includes(resource) === false) ?? {};
    if (name === undefined) continue;
    return [
      `The tokens of agents are for the resource of mcp(), ${resource}, but ${name} accepts only those for ${audiences.join(' or ')}: ${method} ${pattern}. Add '${resource}' to its audience, correct the resource, or pass the plugin to intended() if the issuer uses another audience.`,
    ];
  }
  return [];
}

/**
 * Describes an endpoint that never responds with the 401 after which agents look for tokens, although tools demand them.
 *
 * @see RFC 9728 §5
 */
function describeLackOfCheck(
  app: Application,
  endpoint: Middleware,
  path: string,
): readonly string[] {
  const routes = app.routes();
  const before = ({ upstream = [], handlers }: Route) =>
    flatten([...upstream, ...handlers.filter((one) => one !== endpoint)]);
  const own = routes.find(({ handlers }) => handlers.includes(endpoint));
  if (own === undefined || before(own).some((one) => isSecured(one) || isUnknown(one))) return [];
  const tool = routes.find((route) => route.options.tool && before(route).some(isSecured));
  if (tool === undefined) return [];
  return [
    `The tool of ${tool.method} ${tool.pattern} demands credentials, but nothing demands them at ${path}, so agents never learn that mcp() tells where to get a token. Register the check before the plugin, as in app.use('${path}', auth.middleware), or pass the plugin to intended() if a proxy demands tokens.`,
  ];
}

/** Describes what is probably a mistake in the options of a server. */
function describeDoubts(
  path: string,
  resource: string | undefined,
  { definitions }: RouteTools,
): readonly string[] {
  const doubts: string[] = [];
  if (definitions.length === 0) {
    doubts.push(
      'mcp() serves no tool, because no route has the option tool. Add tool: true to the routes that agents may call, or pass the plugin to intended().',
    );
  }
  if (resource === undefined) return doubts;
  const { origin, pathname } = new URL(resource);
  const known = pathname.replace(/\/$/, '');
  // A proxy may add a prefix. Clients also accept the resource above an endpoint.
  if (!known.endsWith(path) && !`${path}/`.startsWith(`${known}/`)) {
    doubts.push(
      `mcp() serves its endpoint at ${path}, but its resource is ${resource}. Use '${origin}${path}', pass path: '${known}', or pass the plugin to intended() if a proxy changes the path.`,
    );
  }
  return doubts;
}

/**
 * Rejects requests of pages of other origins, which a browser may send to a server on the machine of its user.
 *
 * @throws {ForbiddenError} 403
 */
function assertOrigin(ctx: Context, origins: readonly string[]): void {
  const origin = ctx.get('Origin');
  if (origin === undefined || origins.includes(origin)) return;
  throw new ForbiddenError('Pages of this origin must not call tools', {
    code: 'ORIGIN_NOT_ALLOWED',
    cause: new Error(
      `The origin is ${origin}. If the page is yours, add it to the option origins of mcp().`,
    ),
  });
}

/**
 * Rejects requests with several `Authorization` headers. A call could pass on only one of them, although a route would
 * see all.
 *
 * @throws {BadRequestError} 400
 */
function assertOneToken({ req }: Context): void {
  const { authorization = [] } = req.headersDistinct;
  if (authorization.length <= 1) return;
  throw new BadRequestError('The request has several Authorization headers. Send one.', {
    code: 'INVALID_REQUEST',
  });
}

/** Creates the server of one request. */
function createServer(
  { name, version, instructions, resultLimit = 262_144 }: McpOptions,
  app: Application,
  tools: RouteTools,
  find: FindRoute,
  ctx: Context,
): Server {
  const server = new Server(
    { name, version },
    {
      capabilities: { tools: {} },
      ...(instructions !== undefined && { instructions }),
      jsonSchemaValidator: NO_VALIDATOR,
    },
  );
  server.setRequestHandler('tools/list', () => ({ tools: tools.definitions }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }: ServerContext) => {
    const tool = tools.byName.get(params.name);
    if (tool === undefined) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `Unknown tool: ${describeValue(params.name)}`,
      );
    }
    try {
      const call = { app, find, ctx, signal: mcpReq.signal, resultLimit };
      const result = await callTool(tool, params.arguments ?? {}, call);
      return server.projectCallToolResult(result, tool.definition.outputSchema);
    } catch (error) {
      if (!mcpReq.signal.aborted) ctx.report(error);
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'The tool cannot be called');
    }
  });
  return server;
}

/** Replaces the validator of answers to questions, which no tool asks. */
const NO_VALIDATOR = {
  getValidator() {
    throw new Error('Tools of routes ask no questions.');
  },
};

describeFactories(mcp);
