import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { tick } from '../model/span.js';
import { Violation } from '../model/violation.js';
import type { Database } from './database.js';
import type { Service } from './service.js';

/** Milliseconds without a byte after which an answer counts as missing. */
const PATIENCE = 60_000;

/** What a client learns from one request. */
export type Outcome =
  | { readonly kind: 'answered'; readonly status: number; readonly body: unknown }
  /** It never reached a service. */
  | { readonly kind: 'refused' }
  /** The connection was cut: it may have been done or not. */
  | { readonly kind: 'cut' | 'late' }
  /** The answer was 503: unless its code says that it was not, it may have been done or not. */
  | { readonly kind: 'unavailable'; readonly isUndone: boolean };

/** Codes of answers to requests that have written nothing. */
const UNDONE: ReadonlySet<unknown> = new Set(['STORE_BUSY', 'STORE_LOCKED', 'STORE_FULL']);

const openings = new WeakMap<Socket, number>();

/**
 * Sends one request.
 *
 * @param service - Where to.
 * @param database - What the service uses; it may cut a list in the middle when that goes down.
 * @param method - HTTP method.
 * @param path - Path with query.
 * @param value - Sent as JSON when present.
 * @returns What came of it.
 * @throws {Violation} When the service cut the connection without having been killed, when it
 *   was stopped after it had been sent the whole request and did not answer, and for a wrong 5xx.
 */
export async function exchange(
  service: Service,
  database: Database | undefined,
  method: string,
  path: string,
  value?: unknown,
): Promise<Outcome> {
  const body = value === undefined ? undefined : JSON.stringify(value);
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const { agent } = service;
  const req = request(service.url + path, { method, headers, agent, timeout: PATIENCE });
  const what = `${service.name} ${method} ${path}`;
  const sending = watch(req);
  req.on('timeout', () => {
    const silence = `${what}: no byte for ${PATIENCE} ms`;
    // A connection that was on its way to a worker when that was killed stays open, unanswered.
    const isCut = service.mayCut(sending.openedAt);
    req.destroy(isCut ? new Error(silence) : new Violation(silence));
  });
  const start = tick();
  let isAnswering = false;
  req.end(body);
  try {
    const res = await responseTo(req);
    isAnswering = true;
    const answer = await text(res);
    return read(what, res, answer);
  } catch (error) {
    if (error instanceof Violation) throw error;
    if (isRefusal(error)) {
      service.refused();
      return { kind: 'refused' };
    }
    const { openedAt, sentAt } = sending;
    if (service.mayCut(openedAt)) return { kind: 'cut' };
    if (isAnswering && database?.wasUpSince(start) === false) return { kind: 'cut' };
    // Where the system had the connection wait when the service stopped to listen.
    if (service.stoppedAt < sentAt) return { kind: 'late' };
    throw new Violation(
      `${what}: cut with ${error}. It was sent at ${sentAt}, on a connection opened at ` +
        `${openedAt}; the service was told to stop at ${service.stoppedAt}`,
    );
  }
}

/** Notes when a request's connection was opened, and when all its bytes had been written. */
function watch(req: ClientRequest): { openedAt: number; sentAt: number } {
  const sending = { openedAt: tick(), sentAt: Number.POSITIVE_INFINITY };
  req.once('socket', (socket) => {
    sending.openedAt = openings.get(socket) ?? sending.openedAt;
    openings.set(socket, sending.openedAt);
  });
  req.once('finish', () => {
    sending.sentAt = tick();
  });
  return sending;
}

function responseTo(req: ClientRequest): Promise<IncomingMessage> {
  return new Promise((fulfil, reject) => {
    req.once('response', fulfil);
    req.on('error', reject);
  });
}

function read(what: string, res: IncomingMessage, answer: string): Outcome {
  const { statusCode: status = 0, headers } = res;
  const body = parse(what, status, answer);
  if (status === 503) {
    if (headers['retry-after'] === undefined) {
      throw new Violation(`${what} is answered 503 without Retry-After: ${answer}`);
    }
    return { kind: 'unavailable', isUndone: UNDONE.has(codeOf(body)) };
  }
  if (status >= 500) throw new Violation(`${what} is answered ${status}: ${answer}`);
  return { kind: 'answered', status, body };
}

function parse(what: string, status: number, answer: string): unknown {
  try {
    return answer === '' ? undefined : JSON.parse(answer);
  } catch {
    throw new Violation(`${what} is answered ${status} with what is not JSON: ${answer}`);
  }
}

/** The code of an error's body. */
function codeOf(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined;
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
}
