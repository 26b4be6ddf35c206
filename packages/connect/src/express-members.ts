import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Context } from '@fairlead/core';

/** A value of a response header, as Express accepts it. */
type HeaderValue = string | number | readonly string[];

/**
 * Describes a member of a request or response. Within an Express application, it is that of Express. A value
 * that middleware sets stays.
 *
 * @param read - Receives the request or response.
 */
export function member<Target extends object>(
  name: string,
  read: (target: Target) => unknown,
): PropertyDescriptor & ThisType<Target> {
  return {
    configurable: true,
    enumerable: true,
    get() {
      const prototype: object = Object.getPrototypeOf(this);
      return name in prototype ? Reflect.get(prototype, name, this) : read(this);
    },
    set(value: unknown) {
      Object.defineProperty(this, name, {
        value,
        configurable: true,
        enumerable: true,
        writable: true,
      });
    },
  };
}

/** Describes methods, as {@link member} does for each. */
function methods<Target extends object>(
  ofName: Readonly<Record<string, (target: Target, ...args: never[]) => unknown>>,
): PropertyDescriptorMap {
  return Object.fromEntries(
    Object.entries(ofName).map(([name, call]) => {
      const read =
        (target: Target) =>
        (...args: never[]) =>
          call(target, ...args);
      return [name, member(name, read)];
    }),
  );
}

/** The methods of Express 5 that middleware calls most. */
export const RESPONSE_METHODS = methods<ServerResponse>({
  status,
  sendStatus: (res, code: number) =>
    send(type(status(res, code), 'txt'), STATUS_CODES[code] ?? String(code)),
  send,
  json,
  type,
  contentType: type,
  set,
  header: set,
  get: (res, name: string) => res.getHeader(name),
  append: (res, name: string, value: HeaderValue) =>
    set(res, name, [res.getHeader(name) ?? [], value].flat().map(String)),
});

/** The members of Express 5 that middleware reads most, besides those that a context has. */
export function requestMembers(
  contextOf: (req: IncomingMessage) => Context | undefined,
): PropertyDescriptorMap {
  return {
    ...methods<IncomingMessage>({ get: readHeader, header: readHeader }),
    path: member<IncomingMessage>(
      'path',
      ({ url = '' }) => url.replace(/^[a-z]+:\/\/[^/?#]*/i, '').replace(/[?#].*/s, '') || '/',
    ),
    app: member<IncomingMessage>('app', (req) => ({
      get: (name: string) => readSetting(name, contextOf(req)?.app),
    })),
  };
}

/** Returns a setting of Express that the application has, too. */
function readSetting(name: string, app: object = {}): unknown {
  if (name === 'trust proxy') return Reflect.get(app, 'proxy') ?? false;
  return name === 'env' ? (process.env.NODE_ENV ?? 'development') : undefined;
}

function readHeader({ headers }: IncomingMessage, name: string): unknown {
  const key = name.toLowerCase();
  const isReferrer = key === 'referer' || key === 'referrer';
  return isReferrer ? (headers.referrer ?? headers.referer) : headers[key];
}

/** @throws {RangeError} When the code is not an integer from 100 to 999. */
function status(res: ServerResponse, code: number): ServerResponse {
  if (!Number.isInteger(code) || code < 100 || code > 999)
    throw new RangeError(`Invalid status code: ${code}. Use an integer from 100 to 999.`);
  res.statusCode = code;
  return res;
}

function json(res: ServerResponse, value: unknown): ServerResponse {
  if (!res.hasHeader('Content-Type')) set(res, 'Content-Type', 'application/json');
  return send(res, JSON.stringify(value));
}

function send(res: ServerResponse, body?: unknown): ServerResponse {
  const isBytes = ArrayBuffer.isView(body);
  if (typeof body !== 'string' && !isBytes && body !== null && body !== undefined)
    return json(res, body);
  const present = res.getHeader('Content-Type');
  if (typeof body === 'string')
    set(res, 'Content-Type', withCharset(String(present ?? 'text/html')));
  else if (isBytes && present === undefined) type(res, 'bin');
  const bytes = isBytes ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : body;
  // RFC 9110 §15.3.6
  const content = res.statusCode === 205 ? '' : bytes;
  const isEmpty = res.statusCode === 204 || res.statusCode === 304;
  if (isEmpty) for (const name of BODY_HEADERS) res.removeHeader(name);
  else if (content !== undefined) res.setHeader('Content-Length', Buffer.byteLength(content ?? ''));
  if (isEmpty || res.req.method === 'HEAD') res.end();
  else res.end(content ?? '');
  return res;
}

const BODY_HEADERS = ['Content-Type', 'Content-Length', 'Transfer-Encoding'];

function type(res: ServerResponse, name: string): ServerResponse {
  const known = EXTENSIONS.get(name.replace(/^.*\./, '').toLowerCase());
  return set(
    res,
    'Content-Type',
    name.includes('/') ? name : (known ?? 'application/octet-stream'),
  );
}

/** @param value - Omitted when the first argument has all headers by name. */
function set(
  res: ServerResponse,
  name: string | Readonly<Record<string, HeaderValue>>,
  value?: HeaderValue,
): ServerResponse {
  if (typeof name !== 'string') {
    for (const [one, its] of Object.entries(name)) set(res, one, its);
    return res;
  }
  const values = Array.isArray(value) ? value.map(String) : String(value);
  if (name.toLowerCase() !== 'content-type') return res.setHeader(name, values);
  if (typeof values !== 'string') throw new TypeError('Content-Type cannot be an array.');
  return res.setHeader(name, NEEDS_CHARSET.test(values) ? withCharset(values) : values);
}

/** Matches the types to which Express adds a charset. */
const NEEDS_CHARSET = /^(?:text\/[^;]+|application\/(?:json|javascript))\s*(?:;|$)/i;

function withCharset(type: string): string {
  return /;\s*charset=/i.test(type) ? type : `${type}; charset=utf-8`;
}

/** The media types of the names that middleware passes to `res.type()`. */
const EXTENSIONS = new Map([
  ...(['html', 'css', 'csv'] as const).map((name) => [name, `text/${name}`] as const),
  ...(['json', 'xml', 'pdf', 'zip'] as const).map((name) => [name, `application/${name}`] as const),
  ...(['png', 'gif', 'webp', 'jpeg'] as const).map((name) => [name, `image/${name}`] as const),
  ['htm', 'text/html'],
  ['txt', 'text/plain'],
  ['text', 'text/plain'],
  ['js', 'text/javascript'],
  ['mjs', 'text/javascript'],
  ['jpg', 'image/jpeg'],
  ['svg', 'image/svg+xml'],
  ['ico', 'image/vnd.microsoft.icon'],
  ['bin', 'application/octet-stream'],
]);
