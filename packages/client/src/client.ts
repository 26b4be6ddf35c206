import { escapeLine, fillPath, memberPairs } from '@fairlead/options';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type {
  Api,
  CallArguments,
  CommonOptions,
  EventOf,
  Method,
  Problem,
  Result,
  Success,
} from './contract.js';

export type { Problem } from './contract.js';

/** Options of {@link createClient}. */
export interface ClientOptions {
  /** Headers of every request, or a function that returns them for each request, such as with a token. */
  readonly headers?: HeaderSource;
  /**
   * Sends the requests; the global `fetch` by default. `(request) => app.fetch(request)` calls an application in
   * the same process.
   */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** Whether requests to other origins have cookies; `'same-origin'` by default, as in `fetch`. */
  readonly credentials?: 'include' | 'omit' | 'same-origin';
}

type HeaderSource =
  | Readonly<Record<string, string>>
  | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);

type Call<Routes> = <Path extends keyof Routes & string>(
  path: Path,
  ...args: CallArguments<Routes[Path]>
) => Promise<Success<Routes[Path]>>;

/**
 * Calls the routes of an API. Each function returns the body of a successful response, and rejects with a
 * {@link ResponseError} for any other one.
 */
export interface Client<Routes extends AnyApi = Api> {
  readonly get: Call<Routes['GET']>;
  readonly post: Call<Routes['POST']>;
  readonly put: Call<Routes['PUT']>;
  readonly patch: Call<Routes['PATCH']>;
  readonly delete: Call<Routes['DELETE']>;
  readonly query: Call<Routes['QUERY']>;
  /**
   * Same as the functions for each method, but returns every response that arrives, with its status, and with
   * its problem if it is an error.
   */
  send<Name extends Method, Path extends keyof Routes[Name] & string>(
    method: Name,
    path: Path,
    ...args: CallArguments<Routes[Name][Path]>
  ): Promise<Result<Routes[Name][Path]>>;
  /**
   * Reads an event stream until it ends. Leaving the loop closes the connection. Does not reconnect: to continue
   * a stream, call it again with the last `id` in the header `Last-Event-ID`.
   *
   * @throws {ResponseError} If the response is an error, or, with the code `NOT_AN_EVENT_STREAM`, has another
   *   content type.
   */
  events<Path extends keyof Routes['GET'] & string>(
    path: Path,
    ...args: CallArguments<Routes['GET'][Path]>
  ): AsyncGenerator<EventOf<Routes['GET'][Path]>, void, undefined>;
}

type AnyApi = { readonly [Name in Method]?: object };

/** A response that is not successful, or that `events()` cannot read. */
export class ResponseError extends Error {
  /** The code of the problem, such as `USER_NOT_FOUND`; undefined if the body is not a problem. */
  readonly code: string | undefined;

  /**
   * @param request - The method and URL of the request.
   * @param status - The status of the response.
   * @param problem - The body of the response.
   * @param response - The response. Its body has been read or canceled.
   */
  constructor(
    request: string,
    readonly status: number,
    readonly problem: Problem,
    readonly response: Response,
  ) {
    super(`${request} failed with ${status}: ${excerptOf(String(problem.detail))}`);
    this.name = 'ResponseError';
    this.code = problem.code;
  }
}

/** The maximum length of a server's text in a message. */
const MAX_DETAIL = 1_000;

/** Returns the start of a server's text, without what controls a terminal or starts a line. */
function excerptOf(text: string): string {
  return escapeLine(text.slice(0, MAX_DETAIL)) + (text.length > MAX_DETAIL ? '…' : '');
}

interface AnyOptions extends CommonOptions {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

interface Answer {
  readonly request: string;
  readonly response: Response;
}

/**
 * Creates a client for an API. It has no code for single routes: `Routes` tells the compiler what each one needs
 * and returns.
 *
 * @typeParam Routes - Such as `ClientOf<[typeof users], '/api'>`.
 * @param url - The URL that the paths are relative to, such as `https://api.example.com`.
 * @throws {TypeError} When the URL has a query, a fragment or another scheme than `http:` and `https:`, or a header is
 *   invalid.
 */
export function createClient<Routes extends AnyApi = Api>(
  url: string | URL,
  options: ClientOptions = {},
): Client<Routes> {
  const { headers: shared = {}, credentials = 'same-origin', fetch: given } = options;
  const base = String(url).replace(/\/$/, '');
  if (/[?#]/.test(base)) {
    throw new TypeError(
      `Cannot create a client for ${base}: it has a query or a fragment, which no path can follow. Remove it, or send a key in headers.`,
    );
  }

  const [scheme] = /^[a-z][\w+.-]*:/i.exec(base) ?? [];
  if (scheme !== undefined && !/^https?:$/i.test(scheme)) {
    // A host with a port looks like a scheme.
    const fix = /^[^/]+:\d/.test(base) ? `'http://${base}'` : 'a URL with http: or https:';
    throw new TypeError(
      `Cannot create a client for ${base}: its scheme is '${scheme}'. Pass ${fix}.`,
    );
  }
  if (typeof shared !== 'function') assertHeaders(shared);

  async function request(method: string, path: string, call: AnyOptions): Promise<Answer> {
    const target = base + fillPattern(path, call.params) + queryOf(call.query);
    call.signal?.throwIfAborted();
    const own = typeof shared === 'function' ? await unlessAborted(shared(), call.signal) : shared;
    const headers = new Headers(own);
    for (const [name, value] of Object.entries(call.headers ?? {})) headers.set(name, value);
    // Without it, a server that has several representations may send another one.
    if (!headers.has('Accept')) headers.set('Accept', 'application/json, */*;q=0.9');
    const init: RequestInit = { method, headers, credentials, ...bodyOf(call.body, headers) };
    if (call.signal !== undefined) init.signal = call.signal;
    const send = given ?? fetch;
    return { request: `${method} ${target}`, response: await send(new Request(target, init)) };
  }

  const body = async (method: string, path: string, call: AnyOptions = {}): Promise<unknown> => {
    const answer = await request(method, path, call);
    if (!answer.response.ok) throw await errorOf(answer);
    return readBody(answer.response);
  };

  const client = {
    ...Object.fromEntries(
      ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY'].map((method) => [
        method.toLowerCase(),
        (path: string, call?: AnyOptions) => body(method, path, call),
      ]),
    ),
    async send(method: string, path: string, call: AnyOptions = {}) {
      const answer = await request(method, path, call);
      const { response } = answer;
      const { ok, status } = response;
      if (ok) return { ok, status, response, body: await readBody(response) };
      return { ok, status, response, problem: (await errorOf(answer)).problem };
    },
    async *events(path: string, { headers, ...call }: AnyOptions = {}) {
      const accept = { Accept: 'text/event-stream', ...headers };
      const answer = await request('GET', path, { ...call, headers: accept });
      if (!answer.response.ok) throw await errorOf(answer);
      await assertEventStream(answer);
      const messages = answer.response.body
        ?.pipeThrough(new TextDecoderStream())
        .pipeThrough(parseEvents());
      if (messages === undefined) return;
      const reader = messages.getReader();
      try {
        for (let read = await reader.read(); !read.done; read = await reader.read()) {
          const { event = 'message', data, id, isText } = read.value;
          yield { event, data: isText ? data : parseData(data), id };
        }
      } finally {
        await reader.cancel();
      }
    },
  };
  return client as object as Client<Routes>;
}

/** Waits for a value; rejects with the reason of a signal that aborts first. */
async function unlessAborted<Value>(
  value: Value | Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (signal === undefined) return value;
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([value, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Matches a parameter of a pattern, such as `:id`, `:id?` or `*path`. A wildcard may lack a name. */
const PARAMETER = /([:*][\p{L}_][\p{L}\p{M}\p{N}_]*\??|\*)/u;

/** Matches a parameter of a path of OpenAPI, such as `{user-id}`. A generated client has such paths. */
const TEMPLATE_PARAMETER = /(\{[^{}]*\})/;

/**
 * Replaces the parameters of a pattern. A wildcard keeps its slashes.
 *
 * @throws {TypeError} When the route could not receive a value as it is.
 */
function fillPattern(pattern: string, params: AnyOptions['params'] = {}): string {
  return fillPath(
    pattern.startsWith('/') ? pattern : `/${pattern}`,
    pattern.includes('{') ? TEMPLATE_PARAMETER : PARAMETER,
    (parameter) => {
      const name = parameter.replace(/^[:{]|^\*(?=.)|[}?]$/g, '');
      const subject = `the parameter '${name}'`;
      return { subject, value: params[name], isWildcard: parameter.startsWith('*') };
    },
    (problem) => {
      throw new TypeError(`Cannot call ${pattern}: ${problem}`);
    },
  );
}

/** Formats a query. */
function queryOf(query: AnyOptions['query'] = {}): string {
  const pairs = memberPairs(query);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

/** Converts a body to JSON, unless `fetch` can send it as it is. */
/** @throws {TypeError} When a header is invalid. Its value may be a secret, so the message does not show it. */
function assertHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers([[name, value]]);
    } catch (cause) {
      const text = `Cannot create a client with the header '${name}': its name or its value has characters that no header may have, such as a line break. Remove them, as trim() does.`;
      throw new TypeError(text, { cause });
    }
  }
}

function bodyOf(body: unknown, headers: Headers): RequestInit {
  if (body === undefined) return {};
  if (isNative(body)) return { body };
  const type = headers.get('Content-Type');
  if (typeof body === 'string' && type !== null && !JSON_TYPE.test(type)) return { body };
  if (type === null) headers.set('Content-Type', 'application/json');
  return { body: JSON.stringify(body) };
}

function isNative(body: unknown): body is NonNullable<RequestInit['body']> {
  if (ArrayBuffer.isView(body)) return true;
  return [FormData, URLSearchParams, Blob, ArrayBuffer].some((type) => body instanceof type);
}

const JSON_TYPE = /^application\/(?:[^;]*\+)?json\b/i;

/** Reads a body as its media type says: JSON, text or a `Blob`; undefined if it is empty. */
async function readBody(response: Response): Promise<unknown> {
  const type = response.headers.get('Content-Type') ?? '';
  if (JSON_TYPE.test(type)) return parse(await response.text());
  if (/^text\//i.test(type)) return response.text();
  const blob = await response.blob();
  return blob.size === 0 ? undefined : blob;
}

const parse = (text: string): unknown => (text === '' ? undefined : JSON.parse(text));

interface ParsedEvent extends EventSourceMessage {
  /** Whether the server has marked the data as text, because it could be read as JSON. */
  readonly isText: boolean;
}

/** Parses an event stream. `eventStream()` of `@fairlead/middleware` marks text with a comment. */
function parseEvents(): TransformStream<string, ParsedEvent> {
  let isText = false;
  let enqueue: (event: ParsedEvent) => void;
  const parser = createParser({
    onComment: (comment) => {
      isText ||= comment === 'text';
    },
    onEvent: (event) => {
      enqueue({ ...event, isText });
      isText = false;
    },
  });
  return new TransformStream({
    start: (controller) => {
      enqueue = (event) => controller.enqueue(event);
    },
    transform: (chunk) => parser.feed(chunk),
  });
}

/** Parses JSON, and returns other text as it is. */
function parseData(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}

/** @throws {ResponseError} `NOT_AN_EVENT_STREAM` */
async function assertEventStream({ request, response }: Answer): Promise<void> {
  const type = response.headers.get('Content-Type') ?? 'none';
  if (/^text\/event-stream\s*(?:;|$)/i.test(type)) return;
  await response.body?.cancel();
  const { status, statusText: title } = response;
  const detail = `events() needs the content type text/event-stream: got ${type}. Return eventStream() from the route, or call get() instead.`;
  const problem = { type: 'about:blank', title, status, detail, code: 'NOT_AN_EVENT_STREAM' };
  throw new ResponseError(request, status, problem, response);
}

async function errorOf({ request, response }: Answer): Promise<ResponseError> {
  const { status, statusText } = response;
  const text = await response.text();
  const given = parseData(text);
  const members =
    typeof given === 'object' && given !== null ? given : { detail: text || statusText };
  const problem = {
    type: 'about:blank',
    title: statusText,
    status,
    detail: statusText,
    ...members,
  };
  return new ResponseError(request, status, problem, response);
}
