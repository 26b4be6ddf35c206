import { Readable } from 'node:stream';
import type { Context } from '../context/context.js';

/** One event of a stream. */
export interface ServerSentEvent {
  /** Its text; each line is sent as a line of its own. */
  readonly data: string;
  /** Its type; `message` when absent. One line. */
  readonly event?: string;
  /** What a client that reconnects sends as `Last-Event-ID`. One line. */
  readonly id?: string;
  /** Milliseconds after which a client reconnects. */
  readonly retry?: number;
}

/**
 * Answers with a stream of events. It is read as fast as the client takes it, and ended when the client
 * goes away: an async generator's `finally` runs then, once what it awaits has settled, for which
 * `ctx.signal` is at hand.
 *
 * @param events - The events, in their order.
 * @throws {TypeError} While streaming, which closes the connection, when an event's type or id holds a
 *   line break.
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

/** Writes one event as it goes over the wire. */
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
  throw new TypeError(`The ${field} of a server-sent event is one line: ${JSON.stringify(text)}.`);
}
