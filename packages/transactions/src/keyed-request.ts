import { createHash } from 'node:crypto';
import { BadRequestError, type Context, HttpError, type Middleware } from '@fairlead/core';
import {
  describe,
  descriptionOf,
  isSecured,
  type Placement,
  requireParsedBody,
} from '@fairlead/core/extend';
import {
  boolean,
  fn,
  integer,
  type Kinds,
  named,
  positiveMilliseconds,
  withCharset,
} from '@fairlead/options';
import type { KeptResponse } from './adapter.js';
import { findLateParser } from './late-parser.js';

/** Options of middleware that runs the rest of a request once for each `Idempotency-Key`. */
export interface KeyOptions {
  /**
   * Returns whose key it is, such as the ID of the user: two of them may choose the same key. Return a constant for
   * routes without sign-in, where a key of another client would reveal its response.
   */
  readonly principal: (ctx: Context) => string;
  /** Whether a request without a key is a 400. Default false: it runs once for each request. */
  readonly required?: boolean;
  /** Milliseconds for which a key is kept. Default 86,400,000: one day. */
  readonly lifetime?: number;
  /** Milliseconds to wait for a request with the same key that still runs. Default 10,000. */
  readonly patience?: number;
}

export const KEY_OPTIONS: Kinds<KeyOptions> = {
  principal: fn,
  required: boolean,
  lifetime: integer(1_000, undefined, 'number of milliseconds'),
  patience: positiveMilliseconds,
};

export const DAY = 86_400_000;
export const PATIENCE = 10_000;

/** Returns what is wrong with options that lack `principal`. */
export function findMissingPrincipal(call: string, options: unknown): string[] {
  if (Object(options).principal !== undefined) return [];
  return [
    `${call} needs the option principal. Pass a function that returns whose key it is, such as the ID of the user.`,
  ];
}

/** A request with a key. */
export interface KeyedRequest {
  /** Whose key it is. */
  readonly owner: string;
  readonly key: string;
  /** Identifies what the request asks for. */
  readonly fingerprint: string;
  /** The headers of the response before the handler ran. */
  readonly before: ReadonlyMap<string, string>;
}

/**
 * Reads the key of a request, and its body: a slow client must not keep a connection or a lock.
 *
 * @param call - What to name in errors.
 * @returns Undefined without a key.
 * @throws {BadRequestError} 400 `MISSING_IDEMPOTENCY_KEY` and `INVALID_IDEMPOTENCY_KEY`.
 */
export async function readKeyedRequest(
  call: string,
  ctx: Context,
  { principal, required = false }: Pick<KeyOptions, 'principal' | 'required'>,
): Promise<KeyedRequest | undefined> {
  const key = keyOf(ctx);
  if (key === undefined && required) throw missingKey();
  await requireParsedBody(ctx);
  if (key === undefined) return undefined;
  const owner: unknown = principal(ctx);
  if (typeof owner !== 'string' || owner === '') throw wrongPrincipal(call, owner);
  const before = new Map([...ctx.responseHeaders].map(([name, value]) => [name, String(value)]));
  return { owner, key, fingerprint: fingerprintOf(ctx), before };
}

/** Describes middleware that runs once for each key. */
export function describeKeyed(
  call: string,
  middleware: Middleware,
  {
    required = false,
    wraps,
    unavailable,
  }: {
    readonly required?: boolean | undefined;
    readonly wraps?: Middleware;
    /** What a 503 means. */
    readonly unavailable: string;
  },
): Middleware {
  return describe(named(call.slice(0, -2), middleware), {
    ...(wraps === undefined ? { role: 'middleware' } : { wraps }),
    name: call,
    afterGuards: true,
    refuses: (placement) => findLateGuard(call, placement),
    check: (placement) =>
      findLateParser(call, 'so that such bodies are a 415', placement) ??
      descriptionOf(wraps)?.check?.(placement),
    takes: {
      'Idempotency-Key': {
        description:
          'Identifies the operation, such as by a UUID. A request with the same key gets the same response.',
        required,
      },
    },
    sends: {
      headers: { 'Idempotency-Replayed': '`true` for the response of an earlier request.' },
      responses: {
        400: { description: 'The Idempotency-Key is missing or invalid.' },
        409: {
          description:
            'A request with the same Idempotency-Key still runs, or its response is not known.',
        },
        422: { description: 'The Idempotency-Key was used for another request.' },
        503: { description: unavailable },
      },
    },
  });
}

/** Finds what decides who may call a route, but would not run for a repeated request. */
function findLateGuard(call: string, { routes }: Placement): string | undefined {
  for (const { method, pattern, after } of routes) {
    // What a handler runs are its guards.
    const guards = after.flatMap((one) => descriptionOf(one)?.runs ?? []);
    const guard = after.find((one) => guards.includes(one) || isSecured(one));
    if (guard === undefined) continue;
    const name = descriptionOf(guard)?.name ?? Reflect.get(guard, 'name');
    return `${call} runs before ${name} in ${method} ${pattern}, so that everyone could repeat a request there and get its response. Register ${name} first, or list ${call} in the middleware of the controller, whose guards run first.`;
  }
  return undefined;
}

/** Printable ASCII. The draft writes the key as a string of RFC 9651, in quotes, which most clients omit. */
const KEY = /^(?:"(?<quoted>[ !#-[\]-~]{1,255})"|(?<bare>[!#-+\--~]{1,255}))$/;

function keyOf(ctx: Context): string | undefined {
  const text = ctx.get('Idempotency-Key');
  if (text === undefined) return undefined;
  const { quoted, bare } = KEY.exec(text)?.groups ?? {};
  const key = quoted ?? bare;
  if (key !== undefined) return key;
  throw new BadRequestError(
    'The Idempotency-Key is not valid. Send 1 to 255 printable ASCII characters, such as a UUID.',
    { code: 'INVALID_IDEMPOTENCY_KEY' },
  );
}

/** Identifies what a request asks for. */
function fingerprintOf({ method, path, searchParams, body }: Context): string {
  const hash = createHash('sha256').update(`${method} ${path}?${searchParams}\n`);
  hash.update(body instanceof Uint8Array ? body : (JSON.stringify(withDigests(body)) ?? ''));
  return hash.digest('hex');
}

/** Replaces bytes, such as those of uploads, by their digests. As JSON, they would be lists of numbers. */
function withDigests(value: unknown): unknown {
  if (value instanceof Uint8Array) return createHash('sha256').update(value).digest('hex');
  if (Array.isArray(value)) return value.map(withDigests);
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withDigests(member)]),
  );
}

/** Whether a handler has taken over the response, or written to `ctx.res`, so that it cannot be kept. */
export function isTakenOver({ takenOver, res }: Context): boolean {
  return takenOver || res.headersSent;
}

/** The status of a response that was not kept. */
const NOT_KEPT = 0;

/** Returns the response to keep, whose body is no stream. */
export function responseOf(ctx: Context, { before, fingerprint }: KeyedRequest): KeptResponse {
  if (isTakenOver(ctx)) return { fingerprint, status: NOT_KEPT, headers: [], body: Buffer.of() };
  const { status, responseBody } = ctx;
  const headers = [...ctx.responseHeaders].flatMap(([name, value]) => {
    // A cookie may be the secret of a session, which no database has.
    if (before.get(name) === String(value) || name.toLowerCase() === 'set-cookie') return [];
    // A repeated response has bytes, to which core adds no charset.
    if (name.toLowerCase() === 'content-type' && typeof responseBody === 'string')
      return [[name, withCharset(String(value))] as const];
    return [[name, typeof value === 'object' ? [...value] : String(value)] as const];
  });
  const body = Buffer.from((responseBody as string | Uint8Array | undefined) ?? '');
  return { fingerprint, status, headers, body };
}

/**
 * Responds as an earlier request.
 *
 * @throws {HttpError} 422 `IDEMPOTENCY_KEY_REUSED`, when that was another request; 409 `IDEMPOTENCY_RESPONSE_NOT_KEPT`,
 *   when its handler took over the response.
 */
export function replay(ctx: Context, kept: KeptResponse, { fingerprint }: KeyedRequest): void {
  if (kept.fingerprint !== fingerprint) throw reused();
  const { status, headers, body } = kept;
  if (status === NOT_KEPT) throw responseNotKept();
  ctx.status = status;
  if (body.length > 0) ctx.send(Buffer.from(body));
  for (const [name, value] of headers) ctx.set(name, value);
  ctx.set('Idempotency-Replayed', 'true');
}

function responseNotKept(): HttpError {
  return new HttpError(
    409,
    'An earlier request with this Idempotency-Key took effect, but its response was not kept. Look up what it did.',
    { code: 'IDEMPOTENCY_RESPONSE_NOT_KEPT' },
  );
}

/** Creates the error for a response that its handler has taken over or, with Redis, a stream. */
export function notKept(call: string, { method, path }: Context): TypeError {
  return new TypeError(
    `${call} cannot keep the response to ${method} ${path}: it is a stream, or its handler has taken it over. Return a value, text or bytes. Requests with the same key get 409.`,
  );
}

function missingKey(): BadRequestError {
  return new BadRequestError(
    'The request has no Idempotency-Key. Send a new one for each operation, such as a UUID, and the same one when you repeat it.',
    { code: 'MISSING_IDEMPOTENCY_KEY' },
  );
}

export function inUse(cause?: unknown): HttpError {
  return new HttpError(
    409,
    'A request with the same Idempotency-Key still runs. Send it again later.',
    {
      code: 'IDEMPOTENCY_KEY_IN_USE',
      headers: { 'Retry-After': '1' },
      cause,
    },
  );
}

export function reused(): HttpError {
  return new HttpError(
    422,
    'The Idempotency-Key was used for another request. Send a new key, or the same request.',
    { code: 'IDEMPOTENCY_KEY_REUSED' },
  );
}

function wrongPrincipal(call: string, owner: unknown): TypeError {
  return new TypeError(
    `The principal function of ${call} returned ${owner === '' ? 'an empty string' : typeof owner}. Return a string, such as the ID of the user.`,
  );
}
