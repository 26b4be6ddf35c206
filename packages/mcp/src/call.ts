import { randomUUID } from 'node:crypto';
import {
  type Application,
  type Context,
  createApp,
  createRouter,
  intended,
  type Route,
  type VersionSource,
} from '@fairlead/core';
import { groupByMount } from '@fairlead/core/extend';
import {
  describeValue,
  essenceOf,
  fillPath,
  isHopByHop,
  isJson,
  isPlainObject,
  memberPairs,
  nearestName,
  textPairs,
} from '@fairlead/options';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { type Argument, type Received, type RouteTool } from './tools.js';

/** The route that handles a request, and its parameters. */
interface Match {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds the route that handles a request for a route. */
export type FindRoute = (route: Route, target: string) => Promise<Match | undefined>;

/** What a call of a tool belongs to. */
export interface Call {
  readonly app: Application;
  readonly find: FindRoute;
  /** The request of the client. */
  readonly ctx: Context;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** In bytes. */
  readonly resultLimit: number;
}

/** Calls the route of a tool, as if the client had sent the request itself. */
export async function callTool(
  tool: RouteTool,
  given: Readonly<Record<string, unknown>>,
  { app, find, ctx, signal, resultLimit }: Call,
): Promise<CallToolResult> {
  const { method } = tool.route;
  const written = writeParts(tool, given);
  const problem = written.problem ?? (await findProblem(tool, given, written, find));
  if (problem !== undefined) return failure(problem);
  const { target, body } = written;
  const { headers, isEncrypted, ip } = clientOf(ctx);
  nameVersion(headers, tool.route, app.versions);
  const { mediaType = 'application/json' } = tool;
  // A QUERY request needs the header even without a body. RFC 10008 §2
  if (body !== undefined || method === 'QUERY') headers.set('Content-Type', mediaType);
  if (tool.takesKey && !headers.has('Idempotency-Key'))
    headers.set('Idempotency-Key', randomUUID());
  const url = new URL('/', isEncrypted ? 'https://localhost' : 'http://localhost');
  const request = new Request(url, {
    method,
    headers,
    signal,
    ...(body !== undefined && { body }),
  });
  const response = await app.fetch(request, { target, ip });
  return toResult(response, tool, target, resultLimit);
}

/**
 * Creates the function that finds routes. It sends the request to an application that has only their patterns, so
 * that precedence is the same.
 */
export function createFinder(routes: readonly Route[], versions?: VersionSource): FindRoute {
  // Its default is a matter of the application itself.
  const app = createApp(versions && { versions: intended({ ...versions }) });
  const matches = new Map<string, Match>();
  for (const mounted of groupByMount(routes)) {
    const router = intended(createRouter(mounted[0]?.router?.rules));
    for (const route of mounted) {
      const { method, pattern, options } = route;
      const { version } = options;
      router.on(method, pattern, { ...(version && { version }) }, (ctx) => {
        matches.set(ctx.get('X-Search') ?? '', { route, params: ctx.params });
        return new Response(null, { status: 204 });
      });
    }
    app.route('/', router);
  }
  let searches = 0;
  return async (wanted, target) => {
    const search = String(searches++);
    // QUERY requires a media type.
    const headers = new Headers({ 'Content-Type': 'text/plain', 'X-Search': search });
    nameVersion(headers, wanted, versions);
    const { method } = wanted;
    await app.fetch(new Request('http://localhost/', { method, headers }), { target });
    const match = matches.get(search);
    matches.delete(search);
    return match;
  };
}

/** What a request has of the arguments of a call. */
interface Parts {
  readonly target: string;
  readonly query: URLSearchParams;
  readonly body: string | undefined;
  /** Why the request cannot have them; undefined if it can. */
  readonly problem?: string;
}

function writeParts(tool: RouteTool, given: Readonly<Record<string, unknown>>): Parts {
  try {
    assertKnown(tool, given);
    const path = createPath(tool, given);
    const query = new URLSearchParams(createQuery(tool, given));
    const target = query.size === 0 ? path : `${path}?${query}`;
    return { target, query, body: createBody(tool, given) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { target: '', query: new URLSearchParams(), body: undefined, problem: error.message };
  }
}

/** Finds out why the route would not receive the arguments as they are. */
async function findProblem(
  tool: RouteTool,
  given: Readonly<Record<string, unknown>>,
  { target, query }: Parts,
  find: FindRoute,
): Promise<string | undefined> {
  if (!tool.path.includes('{')) return findChange(tool, given, tool.read({}, query));
  const found = await find(tool.route, target);
  // A value may be the static text of another route, which is not a tool.
  if (found?.route === tool.route) return findChange(tool, given, tool.read(found.params, query));
  const problem = found === undefined ? 'cannot be part of a path' : 'belong to another route';
  return `These values of ${namesIn(tool)} ${problem}. Use others.`;
}

function namesIn(tool: RouteTool): string {
  const names = [...tool.arguments].filter(([, { source }]) => source === 'path');
  return names.map(([name]) => `'${name}'`).join(' and ');
}

/** @throws {TypeError} When an argument is unknown. */
function assertKnown(tool: RouteTool, given: Readonly<Record<string, unknown>>): void {
  for (const name of Object.keys(given)) {
    if (tool.arguments.has(name)) continue;
    const nearest = nearestName(name, tool.arguments.keys());
    const fix = nearest === undefined ? 'Remove it.' : `Did you mean '${nearest}'?`;
    throw new TypeError(`The tool has no argument ${describeValue(name)}. ${fix}`);
  }
}

/** Matches a parameter of a path, such as `{id}`. */
const PARAMETER = /(\{[^{}]*\})/;

/** @throws {TypeError} When the path cannot carry a value as it is. */
function createPath(tool: RouteTool, given: Readonly<Record<string, unknown>>): string {
  const byName = new Map(
    [...tool.arguments].flatMap(([argument, { source, name = '', isWildcard }]) => {
      if (source !== 'path') return [];
      const value = Object.hasOwn(given, argument) ? given[argument] : undefined;
      const subject = `the argument '${argument}'`;
      return [[name, { subject, value, isWildcard, mayBeEmpty: true }] as const];
    }),
  );
  return fillPath(
    tool.path.replace(/[^\x21-\x7e]+/g, encodeURIComponent),
    PARAMETER,
    (parameter) => {
      const name = decodeURIComponent(parameter.slice(1, -1));
      return byName.get(name) ?? { subject: name, value: undefined, isWildcard: false };
    },
    (problem) => {
      throw new TypeError(`Cannot call ${tool.definition.name}: ${problem}`);
    },
  );
}

/** @throws {TypeError} When text cannot carry a value. */
function createQuery(
  tool: RouteTool,
  given: Readonly<Record<string, unknown>>,
): [name: string, text: string][] {
  return [...tool.arguments].flatMap(([argument, { source, name = argument, isSpread }]) => {
    if (source !== 'query' || !Object.hasOwn(given, argument)) return [];
    const value = given[argument];
    return isSpread && isPlainObject(value) ? memberPairs(Object(value)) : textPairs(name, value);
  });
}

/**
 * Compares what the route reads with what the agent has passed. Text may not carry it, such as a list for a parameter
 * that is one text.
 *
 * @returns What is wrong with an argument that the route would not receive as it is.
 */
function findChange(
  tool: RouteTool,
  given: Readonly<Record<string, unknown>>,
  { path, query }: Received,
): string | undefined {
  for (const [argument, { source, name = argument, isSpread }] of tool.arguments) {
    if (source === 'body' || !Object.hasOwn(given, argument)) continue;
    const value = given[argument];
    const isWhole = isSpread && isPlainObject(value);
    const received = isWhole ? query : (source === 'path' ? path : query)[name];
    if (isReceived(value, received)) continue;
    const shown = received === undefined ? 'nothing' : describeValue(received);
    return `The argument '${argument}' is invalid: the route would receive ${shown}. Pass a value that fits its schema.`;
  }
  return undefined;
}

/** Whether a route receives a value as it was given. Text does not tell a list of one from its element. */
function isReceived(given: unknown, received: unknown): boolean {
  if (given === undefined || given === null) return true;
  if (Array.isArray(given)) {
    if (given.length === 0) return true;
    const all = Array.isArray(received) ? received : [received];
    return given.length === all.length && given.every((one, index) => isReceived(one, all[index]));
  }
  if (isPlainObject(given)) {
    const members: Readonly<Record<string, unknown>> = Object(received);
    return Object.entries(given).every(([name, one]) => isReceived(one, members[name]));
  }
  const one: unknown = Array.isArray(received) && received.length === 1 ? received[0] : received;
  return typeof one !== 'object' && String(given) === String(one);
}

/**
 * Creates the body of a call; undefined for none.
 *
 * @throws {TypeError} When a form or a text cannot carry a value.
 */
function createBody(tool: RouteTool, given: Readonly<Record<string, unknown>>): string | undefined {
  const isOf = ([, { source }]: readonly [string, Argument]): boolean => source === 'body';
  const all = [...tool.arguments].filter(isOf);
  const passed = all.filter(([name]) => Object.hasOwn(given, name));
  const whole = all.find(([, { name }]) => name === undefined);
  if (tool.mediaType === undefined || (passed.length === 0 && !tool.needsBody)) return undefined;
  if (whole !== undefined && passed.length === 0)
    throw new TypeError(`The argument '${whole[0]}' is missing. Pass it.`);
  const value = whole
    ? given[whole[0]]
    : Object.fromEntries(passed.map(([argument, { name }]) => [name, given[argument]]));
  if (tool.mediaType === 'text/plain') {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (text.isWellFormed()) return text;
    throw new TypeError('The body contains half of a character. Pass whole characters.');
  }
  if (tool.mediaType !== 'application/x-www-form-urlencoded') return JSON.stringify(value);
  // An empty body would not be a form. This one has no fields.
  return new URLSearchParams(memberPairs(Object(value))).toString() || '&';
}

/** Matches the headers that describe the client's message, not the client: those of a call are different. */
const OF_MESSAGE =
  /^(?:accept|accept-(?:charset|encoding|ranges)|content-.*|expect|http2-settings|if-.*|last-event-id|mcp-.*|range)$/;

/**
 * Returns what a call has in common with the client's request. The client's `Connection` removes no other header,
 * as it would not if the client called the route itself: the application may rely on them.
 */
function clientOf(ctx: Context) {
  const { socket } = ctx.req;
  const headers = new Headers({ Accept: acceptWith('') });
  for (const [name, value] of Object.entries(ctx.headers)) {
    if (isHopByHop(name) || OF_MESSAGE.test(name) || value === undefined) continue;
    headers.set(name, String(value));
  }
  // A client of HTTP/1.0 may send none. Without the header, the call would have that of its URL.
  if (!headers.has('Host')) headers.set('Host', '');
  const { requestId } = ctx.state;
  if (typeof requestId === 'string') headers.set('X-Request-Id', requestId);
  return {
    headers,
    // A client of a Unix socket has no address. The default of fetch() would be the address of this machine.
    ip: socket.remoteAddress ?? '0.0.0.0',
    isEncrypted: 'encrypted' in socket && socket.encrypted === true,
  };
}

/** @param parameter - Added to each media type. */
function acceptWith(parameter: string): string {
  return `application/json${parameter}, text/*${parameter};q=0.9, */*${parameter};q=0.8`;
}

/** Names the version of a route in the headers of a request. */
function nameVersion(
  headers: Headers,
  { options: { version } }: Route,
  versions: VersionSource | undefined,
): void {
  if (version === undefined || versions === undefined) return;
  const { header, parameter } = versions;
  if (header === undefined) headers.set('Accept', acceptWith(`;${parameter}=${version}`));
  else headers.set(header, version);
}

/** Headers that tell an agent what to do next. */
const TELLING = ['Location', 'Retry-After', 'WWW-Authenticate'];

/** Converts the response to a call. */
async function toResult(
  response: Response,
  tool: RouteTool,
  target: string,
  limit: number,
): Promise<CallToolResult> {
  const { status, headers } = response;
  const type = essenceOf(headers.get('Content-Type') ?? '');
  const lines = TELLING.filter((name) => headers.has(name)).map(
    (name) => `${name}: ${headers.get(name)}`,
  );
  const head = [`${status} ${response.statusText}`.trimEnd(), ...lines].join('\n');
  if (type === 'text/event-stream') {
    await response.body?.cancel();
    return failure(`${head}\n\nThe response is a stream of events, which a tool cannot return.`);
  }
  const bytes = await readUpTo(limit, response);
  if (bytes === undefined) {
    return failure(
      `${head}\n\nThe response is larger than ${limit} bytes. Ask for less, such as for one page.`,
    );
  }
  const isJsonText = isJson(type);
  const isText =
    isJsonText ||
    type === '' ||
    /^text\/|^application\/(?:[\w.-]+\+)?(?:xml|yaml|javascript)$/.test(type);
  if (status >= 300 || bytes.length === 0) {
    const text = isText && bytes.length > 0 ? `${head}\n\n${bytes}` : head;
    return status < 400 && !tool.definition.outputSchema ? success(text) : failure(text);
  }
  if (tool.definition.outputSchema !== undefined) {
    if (!isJsonText)
      return failure(`${head}\n\nThe response is not the JSON that the route describes.`);
    return { ...success(String(bytes)), structuredContent: JSON.parse(String(bytes)) };
  }
  if (isText) return success(String(bytes));
  const data = bytes.toString('base64');
  if (/^image\/|^audio\//.test(type)) {
    return {
      content: [{ type: type.startsWith('image') ? 'image' : 'audio', data, mimeType: type }],
    };
  }
  const { href: uri } = new URL(`http://localhost${target}`);
  return { content: [{ type: 'resource', resource: { uri, blob: data, mimeType: type } }] };
}

function success(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

function failure(text: string): CallToolResult {
  return { ...success(text), isError: true };
}

/** Reads a body; undefined if it is longer than the limit. */
async function readUpTo(limit: number, { body }: Response): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    // The loop cancels the body.
    if (length > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
