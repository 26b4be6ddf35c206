import { Readable } from 'node:stream';
import { type Context, internals } from './context.js';
import { onClose } from './server/connection.js';

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
 * When the server starts closing, the response ends after the events that were already read, so that the
 * client can reconnect to another process. The generator ends in the same way, so pass `ctx.closing` to
 * what it awaits, too.
 *
 * @param events - The events, in order.
 * @throws {TypeError} While streaming, when an event's type or id contains a line break or a NUL
 *   character. The connection is closed.
 * @see HTML Standard §9.2
 */
export function sendEvents(ctx: Context, events: AsyncIterable<ServerSentEvent>): void {
  ctx.set('Content-Type', 'text/event-stream');
  ctx.set('Cache-Control', 'no-cache, no-transform');
  const source = endable(events, (error) => {
    internals.errorPolicyOf(ctx).onError(error, ctx);
  });
  const { closing, res } = ctx;
  if (closing.aborted) source.end();
  closing.addEventListener('abort', source.end);
  onClose(res, () => closing.removeEventListener('abort', source.end));
  ctx.send(Readable.from(formatAll(source.events), { objectMode: false }));
}

/** Events that a function can end, even while the next one is pending. */
interface EndableEvents<T> {
  readonly events: AsyncIterable<T>;
  /** Ends the iteration. */
  readonly end: () => void;
}

/** @param onError - Called when `events` fail after `end` has interrupted them. */
function endable<T>(events: AsyncIterable<T>, onError: (error: unknown) => void): EndableEvents<T> {
  let isEnded = false;
  let stopWaiting: (() => void) | undefined;
  const end = (): void => {
    isEnded = true;
    stopWaiting?.();
  };
  async function* untilEnd(): AsyncGenerator<T> {
    const iterator = events[Symbol.asyncIterator]();
    let state: 'idle' | 'pending' | 'over' = 'idle';
    // A race with one promise for all events would retain a reaction per event.
    const next = () =>
      new Promise<IteratorResult<T> | undefined>((resolve, reject) => {
        let isInterrupted = false;
        stopWaiting = () => {
          isInterrupted = true;
          resolve(undefined);
        };
        iterator.next().then(resolve, (error: unknown) => {
          state = 'over';
          if (!isInterrupted) reject(error);
          // Code that was given `ctx.closing` fails with an AbortError.
          else if (!(error instanceof Error && error.name === 'AbortError')) onError(error);
        });
      });
    try {
      while (!isEnded) {
        state = 'pending';
        const result = await next();
        if (result === undefined) return;
        state = result.done ? 'over' : 'idle';
        if (result.done) return;
        yield result.value;
      }
    } finally {
      if (state === 'idle') await iterator.return?.();
      // The generator's `finally` runs when its pending `await` settles, which may be never.
      else if (state === 'pending') void returnFrom(iterator).catch(onError);
    }
  }
  return { events: untilEnd(), end };
}

async function returnFrom(iterator: AsyncIterator<unknown>): Promise<void> {
  await iterator.return?.();
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
