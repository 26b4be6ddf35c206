import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { readWire, type WireResponse } from './wire.js';

/** The result of sending bytes. */
export interface Outcome {
  readonly received: Buffer;
  /** The client's port, which identifies the connection. */
  readonly port: number;
}

/**
 * Sends bytes in pieces on a new connection, and closes it unless the server does first.
 *
 * @param settle - Resolves when the server has had time to handle the bytes.
 */
export async function attack(
  port: number,
  pieces: readonly Buffer[],
  settle: () => Promise<void>,
): Promise<Outcome> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const chunks: Buffer[] = [];
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  const { localPort = 0 } = socket;
  for (const piece of pieces) {
    if (socket.writable) await new Promise((resolve) => socket.write(piece, resolve));
  }
  await Promise.race([closed, settle()]);
  socket.end();
  await closed;
  return { received: Buffer.concat(chunks), port: localPort };
}

/** Splits bytes into pieces. */
export function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const cuts = [...new Set(places.map((place) => place % (bytes.length + 1)))];
  const bounds = [0, ...cuts.sort((a, b) => a - b), bytes.length];
  return bounds.slice(1).map((end, index) => bytes.subarray(bounds[index], end));
}

/**
 * Returns the problems with the responses on a connection.
 *
 * @param taken - Requests of the connection that reached the application, in order.
 */
export function faultsOf({ received }: Outcome, taken: readonly IncomingMessage[]): string[] {
  const { responses, fault } = readWire(received);
  const replies = responses.filter(({ headers }) => headers.has('x-number'));
  const refusals = responses.filter(({ headers }) => !headers.has('x-number'));
  const faults = [
    ...(fault === undefined ? [] : [fault]),
    ...responses.filter(({ status }) => status >= 500).map(({ status }) => `status ${status}`),
    ...replies.flatMap((reply, index) => faultsOfAnswer(reply, index, taken[index])),
    ...responses
      .slice(0, -1)
      .filter(isLast)
      .map(() => 'a response behind Connection: close'),
  ];
  const [refusal] = refusals;
  if (refusal === undefined) return faults;
  const last = taken.at(-1);
  const refusesLast = last !== undefined && !last.complete && replies.length === taken.length - 1;
  const refusesNext = replies.length === taken.length && last?.complete !== false;
  if (refusals.length > 1) faults.push('more than one refusal');
  if (responses.at(-1) !== refusal) faults.push('a response behind a refusal');
  if (!isLast(refusal)) faults.push('a refusal without Connection: close');
  if (!refusesLast && !refusesNext) {
    faults.push(`a refusal after ${replies.length} replies to ${taken.length} requests`);
  }
  return faults;
}

function faultsOfAnswer(
  { headers }: WireResponse,
  index: number,
  request: IncomingMessage | undefined,
): string[] {
  if (headers.get('x-number') !== String(index + 1)) return [`reply ${index + 1} out of order`];
  if (headers.get('x-target') === encodeURIComponent(request?.url ?? '')) return [];
  return [`reply ${index + 1} to another request`];
}

const isLast = ({ headers }: WireResponse) => headers.get('connection') === 'close';
