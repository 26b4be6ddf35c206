import {
  type Application,
  type Context,
  createApp,
  createRouter,
  intended,
  type Route,
  type Router,
} from '@fairlead/core';
import {
  describeValue,
  isHopByHop,
  isPlainObject,
  memberPairs,
  nearestName,
  simpleText,
  textPairs,
} from '@fairlead/options';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { type Argument, JSON_TYPE, type RouteTool } from './tools.js';

/** Finds the route that handles a request. */
export type FindRoute = (method: string, target: string) => Promise<Route | undefined>;

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
  const created = createTarget(tool, given);
  if ('problem' in created) return failure(created.problem);
  const { target } = created;
  // A value may be the static text of another route, which is not a tool.
  const found = tool.path.includes('{') ? await find(method, target) : tool.route;
  if (found !== tool.route) {
    const problem = found === undefined ? 'cannot be part of a path' : 'belong to another route';
    return failure(`These values of ${namesIn(tool)} ${problem}. Use others.`);
  }
  const { headers, isEncrypted, ip } = clientOf(ctx);
  const body = createBody(tool, given);
  if (body !== undefined && tool.mediaType !== undefined)
    headers.set('Content-Type', tool.mediaType);
  const url = new URL('/', isEncrypted ? 'https://localhost' : 'http://localhost');
  const request = new Request(url, {
    method,
    headers,
    signal,
    ...(body !== undefined && { body }),
  });
  const response = await app.fetch(request, { target, ...(ip !== undefined && { ip }) });
  return toResult(response, tool, target, resultLimit);
}

/**
 * Creates the function that finds routes. It sends the request to an application that has only their patterns, so
 * that precedence is the same.
 */
export function createFinder(routes: readonly Route[]): FindRoute {
  const app = createApp();
  let mounted: { readonly source: unknown; readonly router: Router } | undefined;
  for (const [index, { router: source, method, pattern }] of routes.entries()) {
    if (mounted === undefined || mounted.source !== source) {
      mounted = { source, router: intended(createRouter(source?.rules)) };
      app.route('/', mounted.router);
    }
    const headers = { 'X-Index': String(index) };
    mounted.router.on(method, pattern, () => new Response(null, { status: 204, headers }));
  }
  return async (method, target) => {
    // QUERY requires a media type.
    const request = new Request('http://localhost/', {
      method,
      headers: { 'Content-Type': 'text/plain' },
    });
    const { headers } = await app.fetch(request, { target });
    return routes[Number(headers.get('X-Index') ?? Number.NaN)];
  };
}

function namesIn(tool: RouteTool): string {
  const names = [...tool.arguments].filter(([, { source }]) => source === 'path');
  return names.map(([name]) => `'${name}'`).join(' and ');
}

/** The request target of a call, or what is wrong with its arguments. */
type Target = { readonly target: string } | { readonly problem: string };

function createTarget(tool: RouteTool, given: Readonly<Record<string, unknown>>): Target {
  const known = tool.arguments;
  for (const name of Object.keys(given)) {
    if (known.has(name)) continue;
    const nearest = nearestName(name, known.keys());
    const fix = nearest === undefined ? 'Remove it.' : `Did you mean '${nearest}'?`;
    return { problem: `The tool has no argument ${describeValue(name)}. ${fix}` };
  }
  const search: [string, string][] = [];
  const values = new Map<string, string>();
  for (const [argument, { source, name = argument, isWildcard, isSpread, depth }] of known) {
    const value = Object.hasOwn(given, argument) ? given[argument] : undefined;
    try {
      if (source === 'path') {
        const isText = isScalar(value) || (Array.isArray(value) && !isWildcard);
        const text = isText ? simpleText(argument, value) : '';
        if (!text.isWellFormed() || (text === '' && !(isWildcard && value === ''))) {
          const fix = 'Pass a string of at least one character, or a number.';
          return { problem: `The argument '${argument}' is missing or invalid. ${fix}` };
        }
        values.set(
          name,
          isWildcard ? text.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(text),
        );
      } else if (source === 'query') {
        if (isDeeper(value, depth)) {
          const fix = depth === 0 ? 'Pass text, or a list of texts.' : 'Pass a flatter object.';
          return { problem: `The argument '${argument}' is invalid. ${fix}` };
        }
        const isMembers = isSpread && isPlainObject(value);
        search.push(...(isMembers ? memberPairs(Object(value)) : textPairs(name, value)));
      }
    } catch (error) {
      return { problem: `The argument '${argument}' is invalid. ${(error as Error).message}` };
    }
  }
  const path = tool.path
    .replace(/[^\x21-\x7e]+/g, encodeURIComponent)
    .replace(/\{([^{}]*)\}/g, (_, name: string) => values.get(decodeURIComponent(name)) ?? '');
  return { target: search.length === 0 ? path : `${path}?${new URLSearchParams(search)}` };
}

/** Whether objects are nested deeper than text can carry. */
function isDeeper(value: unknown, depth: number): boolean {
  if (!isPlainObject(value)) return false;
  return depth === 0 || Object.values(value).some((member) => isDeeper(member, depth - 1));
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** Creates the body of a call; undefined for none. */
function createBody(tool: RouteTool, given: Readonly<Record<string, unknown>>): string | undefined {
  const isOf = ([, { source }]: readonly [string, Argument]): boolean => source === 'body';
  const passed = [...tool.arguments].filter(isOf).filter(([name]) => Object.hasOwn(given, name));
  const whole = passed.find(([, { name }]) => name === undefined);
  if (tool.mediaType === undefined || (passed.length === 0 && !tool.needsBody)) return undefined;
  const value = whole
    ? given[whole[0]]
    : Object.fromEntries(passed.map(([argument, { name }]) => [name, given[argument]]));
  if (tool.mediaType === 'text/plain')
    return typeof value === 'string' ? value : JSON.stringify(value);
  if (tool.mediaType !== 'application/x-www-form-urlencoded') return JSON.stringify(value);
  return new URLSearchParams(memberPairs(Object(value))).toString();
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
  const headers = new Headers({ Accept: 'application/json, text/*;q=0.9, */*;q=0.8' });
  for (const [name, value] of Object.entries(ctx.headers)) {
    if (isHopByHop(name) || OF_MESSAGE.test(name) || value === undefined) continue;
    headers.set(name, String(value));
  }
  const { requestId } = ctx.state;
  if (typeof requestId === 'string') headers.set('X-Request-Id', requestId);
  return {
    headers,
    ip: socket.remoteAddress,
    isEncrypted: 'encrypted' in socket && socket.encrypted === true,
  };
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
  const [essence = ''] = (headers.get('Content-Type') ?? '').toLowerCase().split(';', 1);
  const type = essence.trim();
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
  const isJson = JSON_TYPE.test(type);
  const isText =
    isJson ||
    type === '' ||
    /^text\/|^application\/(?:[\w.-]+\+)?(?:xml|yaml|javascript)$/.test(type);
  if (status >= 300 || bytes.length === 0) {
    const text = isText && bytes.length > 0 ? `${head}\n\n${bytes}` : head;
    return status < 400 && !tool.definition.outputSchema ? success(text) : failure(text);
  }
  if (tool.definition.outputSchema !== undefined) {
    if (!isJson)
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
