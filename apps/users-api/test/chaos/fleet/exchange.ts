import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { tick } from '../model/span.js';
import { Violation } from '../model/violation.js';
import type { Database } from './database.js';
import type { Service } from './service.js';

/** Milliseconds without a byte after which a response counts as missing. */
const PATIENCE = 60_000;

/** The outcome of a request, as the client sees it. */
export type Outcome =
  | { readonly kind: 'answered'; readonly status: number; readonly body: unknown }
  /** The request never reached a service. */
  | { readonly kind: 'refused' }
  /** The connection was cut. The request may or may not have taken effect. */
  | { readonly kind: 'cut' | 'late' }
  /** The status was 503. The request may have taken effect unless `isUndone` is true. */
  | { readonly kind: 'unavailable'; readonly isUndone: boolean };

/** Error codes of requests that certainly had no effect. */
const UNDONE: ReadonlySet<unknown> = new Set(['STORE_BUSY', 'STORE_LOCKED', 'STORE_FULL']);

const openings = new WeakMap<Socket, number>();

/**
 * Sends one request.
 *
 * @param service - The service that receives the request.
 * @param database - The service's database. A list may break off when it goes down.
 * @param method - The HTTP method.
 * @param path - The path with the query.
 * @param value - A value to send as JSON.
 * @returns The outcome.
 * @throws {Violation} When a service that was not killed cuts the connection, when a stopping
 *   service sends no response to a complete request, or when a 5xx response is wrong.
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
    const silence = `${what}: received nothing for ${PATIENCE} ms`;
    req.destroy(service.isKilled ? new Error(silence) : new Violation(silence));
  });
  const start = tick();
  let isResponding = false;
  req.end(body);
  try {
    const res = await responseTo(req);
    isResponding = true;
    const raw = await text(res);
    return read(what, res, raw);
  } catch (error) {
    if (error instanceof Violation) throw error;
    if (isRefusal(error)) {
      service.refused();
      return { kind: 'refused' };
    }
    const { openedAt, sentAt } = sending;
    if (service.isKilled) return { kind: 'cut' };
    if (isResponding && database?.wasUpSince(start) === false) return { kind: 'cut' };
    // The connection was still in the system's backlog when the service stopped listening.
    if (service.stoppedAt < sentAt) return { kind: 'late' };
    throw new Violation(
      `${what}: the connection was cut with ${error}. The request was sent at ${sentAt} on a ` +
        `connection opened at ${openedAt}. The service began to stop at ${service.stoppedAt}`,
    );
  }
}

/** Records when a request's connection was opened and when its last byte was written. */
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

function read(what: string, res: IncomingMessage, raw: string): Outcome {
  const { statusCode: status = 0, headers } = res;
  const body = parse(what, status, raw);
  if (status === 503) {
    if (headers['retry-after'] === undefined) {
      throw new Violation(`${what} received 503 without Retry-After: ${raw}`);
    }
    return { kind: 'unavailable', isUndone: UNDONE.has(codeOf(body)) };
  }
  if (status >= 500) throw new Violation(`${what} received ${status}: ${raw}`);
  return { kind: 'answered', status, body };
}

function parse(what: string, status: number, raw: string): unknown {
  try {
    return raw === '' ? undefined : JSON.parse(raw);
  } catch {
    throw new Violation(`${what} received ${status} with invalid JSON: ${raw}`);
  }
}

/** Returns the `code` of an error response. */
function codeOf(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined;
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
}
