import { backoff, escapeLine, essenceOf, fillPath, isJson, memberPairs } from '@fairlead/options';
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
export interface ClientOptions<Routes extends AnyApi = Api> {
  /** Headers of every request, or a function that returns them for each request, such as with a token. */
  readonly headers?: HeaderSource;
  /**
   * Sends the requests; the global `fetch` by default. `(request) => app.fetch(request)` calls an application in
   * the same process.
   */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** Whether requests to other origins have cookies; `'same-origin'` by default, as in `fetch`. */
  readonly credentials?: 'include' | 'omit' | 'same-origin';
  /**
   * How often to repeat a request whose connection fails, or that is rejected with `Retry-After` and 429, 503, or 409 if
   * it has an `Idempotency-Key`, if that is safe: GET, HEAD, OPTIONS, QUERY, PUT and DELETE, and others with an `Idempotency-Key`. Default 2; 0 repeats none.
   */
  readonly retries?: number;
  /**
   * The routes that take an `Idempotency-Key`, such as `['POST /orders']`, or true if all routes of POST and PATCH do.
   * Each call of them has a new key, which repeated requests have, too.
   */
  readonly keyed?: boolean | readonly KeyedRoute<Routes>[];
}

/** The method and the path of a route that may take an `Idempotency-Key`. */
type KeyedRoute<Routes extends AnyApi> = {
  readonly [Name in
    | 'POST'
    | 'PATCH'
    | 'PUT'
    | 'DELETE']: `${Name} ${keyof NonNullable<Routes[Name]> & string}`;
}['POST' | 'PATCH' | 'PUT' | 'DELETE'];

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

/** A response with the method and the URL of its request. */
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
 * @throws {TypeError} When the URL has a query, a fragment or another scheme than `http:` and `https:`, a header is
 *   invalid, or `retries` is no number of times.
 */
export function createClient<Routes extends AnyApi = Api>(
  url: string | URL,
  options: ClientOptions<Routes> = {},
): Client<Routes> {
  const { headers: shared = {}, credentials = 'same-origin', fetch: given } = options;
  const { retries = 2, keyed = false } = options;
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
  if (!Number.isInteger(retries) || retries < 0) {
    throw new TypeError(
      `Cannot create a client with retries: ${String(retries)}. Pass how often to repeat a request, such as 2, or 0 for never.`,
    );
  }

  async function createRequest(
    method: string,
    target: string,
    call: AnyOptions,
    key: string | undefined,
    readsEvents: boolean,
  ): Promise<Request> {
    const own = typeof shared === 'function' ? await unlessAborted(shared(), call.signal) : shared;
    const headers = new Headers(own);
    if (readsEvents) headers.set('Accept', acceptEvents(headers.get('Accept') ?? ''));
    // Without it, a server that has several representations may send another one.
    else if (!headers.has('Accept')) headers.set('Accept', 'application/json, */*;q=0.9');
    for (const [name, value] of Object.entries(call.headers ?? {})) headers.set(name, value);
    if (key !== undefined && !headers.has(KEY)) headers.set(KEY, key);
    const sent = bodyOf(method, call.body, headers);
    const init: RequestInit = { method, headers, credentials, ...sent };
    if (call.signal !== undefined) init.signal = call.signal;
    return new Request(target, init);
  }

  const takesKey = (method: string, pattern: string): boolean =>
    typeof keyed === 'boolean'
      ? keyed && /^(?:POST|PATCH)$/.test(method)
      : (keyed as readonly string[]).includes(`${method} ${pattern}`);

  /**
   * Sends a request, again if that is safe, until `read` has read a response.
   *
   * @throws {TypeError} When the connection fails.
   */
  async function request<Value>(
    method: string,
    path: string,
    call: AnyOptions,
    read: (answer: Answer) => Value | Promise<Value>,
    readsEvents = false,
  ): Promise<Value> {
    const pattern = path.startsWith('/') ? path : `/${path}`;
    const target = base + fillPattern(pattern, call.params) + queryOf(call.query);
    const key = takesKey(method, pattern) ? createKey() : undefined;
    for (let attempt = 0; ; attempt += 1) {
      call.signal?.throwIfAborted();
      const sent = await createRequest(method, target, call, key, readsEvents);
      const isKeyed = sent.headers.has(KEY);
      const mayRepeat = attempt < retries && (isKeyed || IDEMPOTENT.test(method));
      let delay: number | undefined;
      try {
        const response = await (given ?? fetch)(sent);
        delay = mayRepeat ? delayOf(response, isKeyed) : undefined;
        if (delay === undefined) return await read({ request: `${method} ${target}`, response });
        await response.body?.cancel();
      } catch (error) {
        // The error of fetch() for a failed connection. Fetch Standard §5.6
        if (!mayRepeat || !(error instanceof TypeError) || call.signal?.aborted) throw error;
        delay = backoff(FIRST_DELAY, attempt, MAX_DELAY);
      }
      await pause(Math.min(delay, MAX_DELAY), call.signal);
    }
  }

  const body = (method: string, path: string, call: AnyOptions = {}): Promise<unknown> =>
    request(method, path, call, async (answer) => {
      if (!answer.response.ok) throw await errorOf(answer);
      return readBody(answer.response);
    });

  const client = {
    ...Object.fromEntries(
      ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY'].map((method) => [
        method.toLowerCase(),
        (path: string, call?: AnyOptions) => body(method, path, call),
      ]),
    ),
    send: (method: string, path: string, call: AnyOptions = {}) =>
      request(method, path, call, async (answer) => {
        const { response } = answer;
        const { ok, status } = response;
        // A response to HEAD has the type of the body that it lacks.
        const hasBody = method !== 'HEAD';
        if (ok)
          return { ok, status, response, body: hasBody ? await readBody(response) : undefined };
        return { ok, status, response, problem: (await errorOf(answer)).problem };
      }),
    async *events(path: string, call: AnyOptions = {}) {
      const answer = await request('GET', path, call, (response) => response, true);
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

const KEY = 'Idempotency-Key';

/** The methods that a server handles in the same way when it receives them again. RFC 9110 §9.2.2, RFC 10008 §2 */
const IDEMPOTENT = /^(?:GET|HEAD|OPTIONS|QUERY|PUT|DELETE)$/;

/** Milliseconds before the first request that follows a failed connection. Each further one waits twice as long. */
const FIRST_DELAY = 250;

/** The maximum of milliseconds to wait before a request. */
const MAX_DELAY = 10_000;

function createKey(): string {
  // Pages without TLS lack it.
  if (crypto.randomUUID !== undefined) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Returns the milliseconds after which a response lets the client repeat the request; undefined if it does not, or only
 * much later. `idempotency()` of `@fairlead/transactions` responds with 409 while a request with the same key runs.
 */
function delayOf({ status, headers }: Response, isKeyed: boolean): number | undefined {
  if (status !== 429 && status !== 503 && !(status === 409 && isKeyed)) return undefined;
  // Seconds or a date. RFC 9110 §10.2.3
  const text = headers.get('Retry-After') ?? '';
  const delay = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return delay <= MAX_DELAY ? Math.max(delay, 0) : undefined;
}

async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const waiting = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  try {
    await unlessAborted(waiting, signal);
  } finally {
    clearTimeout(timer);
  }
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
    pattern,
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

/** Returns `Accept` for an event stream, with the parameters of another `Accept`, such as a version. RFC 9110 §12.5.1 */
function acceptEvents(shared: string): string {
  // Commas within quotes separate no ranges.
  const ranges = (shared.match(/(?:"[^"]*"|[^",])+/g) ?? ['']).map((range) => {
    const [, ...parameters] = range.split(';').map((part) => part.trim());
    return ['text/event-stream', ...parameters.filter((one) => !/^q\s*=/i.test(one))].join(';');
  });
  return [...new Set(ranges)].join(', ');
}

/**
 * Converts a body to JSON, unless `fetch` can send it as it is.
 *
 * @throws {TypeError} When the body is a stream, or JSON cannot express it.
 */
function bodyOf(method: string, body: unknown, headers: Headers): RequestInit {
  if (isNative(body)) return { body };
  if (body instanceof ReadableStream) {
    throw new TypeError(
      'Cannot send a stream, which a repeated request would lack. Pass a Blob: await new Response(stream).blob()',
    );
  }
  const type = headers.get('Content-Type');
  if (typeof body === 'string' && type !== null && !isJson(essenceOf(type))) return { body };
  // Servers reject QUERY without a type, also without a body. RFC 10008 §2
  if (type === null && (body !== undefined || method === 'QUERY'))
    headers.set('Content-Type', 'application/json');
  return body === undefined ? {} : { body: JSON.stringify(body) };
}

function isNative(body: unknown): body is NonNullable<RequestInit['body']> {
  if (ArrayBuffer.isView(body)) return true;
  return [FormData, URLSearchParams, Blob, ArrayBuffer].some((type) => body instanceof type);
}

/** Reads a body as its media type says: JSON, text or a `Blob`; undefined if it is empty. */
async function readBody(response: Response): Promise<unknown> {
  const type = response.headers.get('Content-Type') ?? '';
  if (isJson(essenceOf(type))) return parse(await response.text());
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
