import { Readable } from 'node:stream';
import type { Context } from './context.js';

/** One server-sent event. */
export interface ServerSentEvent {
  /** The event's text. Each line becomes a `data` field. */
  readonly data: string;
  /** The event's type, without line breaks; `message` by default. */
  readonly event?: string;
  /** The event's id, without line breaks. A client that reconnects sends it as `Last-Event-ID`. */
  readonly id?: string;
  /** Milliseconds that a client waits before it reconnects. */
  readonly retry?: number;
}

/**
 * Responds with a stream of server-sent events. Reads `events` as fast as the client receives them.
 *
 * When the client disconnects, the iteration ends and an async generator runs its `finally` as soon
 * as its pending `await` settles. Pass `ctx.signal` to what it awaits.
 *
 * @param events - The events, in order.
 * @throws {TypeError} While streaming, when an event's type or id contains a line break or a NUL
 *   character. The connection is closed.
 * @see HTML Standard §9.2
 */
export function sendEvents(ctx: Context, events: AsyncIterable<ServerSentEvent>): void {
  ctx.set('Content-Type', 'text/event-stream');
  ctx.set('Cache-Control', 'no-cache, no-transform');
  ctx.send(Readable.from(formatAll(events), { objectMode: false }));
}

async function* formatAll(events: AsyncIterable<ServerSentEvent>): AsyncGenerator<string> {
  for await (const event of events) yield formatEvent(event);
}

function formatEvent({ data, event, id, retry }: ServerSentEvent): string {
  const lines = [
    ...(event === undefined ? [] : [`event: ${oneLine('event', event)}`]),
    ...(id === undefined ? [] : [`id: ${oneLine('id', id)}`]),
    ...(retry === undefined ? [] : [`retry: ${retry}`]),
    ...data.split(/\r\n|\r|\n/).map((line) => `data: ${line}`),
  ];
  return `${lines.join('\n')}\n\n`;
}

function oneLine(field: string, text: string): string {
  if (!/[\r\n\0]/.test(text)) return text;
  throw new TypeError(
    `Invalid ${field} of a server-sent event: ${JSON.stringify(text)}. Remove line breaks and NUL characters.`,
  );
}
