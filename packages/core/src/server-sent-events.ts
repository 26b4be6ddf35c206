import { Readable } from 'node:stream';
import { describeValue, integer } from '@fairlead/options';
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
 * Responds with a stream of server-sent events. Sends the headers before the first event, and reads
 * `events` as fast as the client receives them.
 *
 * When the client disconnects, the iteration ends and an async generator runs its `finally` as soon
 * as its pending `await` settles. Pass `ctx.signal` to what it awaits. Events of a client that has
 * already disconnected are released without being read.
 *
 * When the server starts closing, the response ends after the events that were already read, so that the
 * client can reconnect to another process. The generator ends in the same way, so pass `ctx.closing` to
 * what it awaits, too.
 *
 * @param events - The events, in order.
 * @throws {TypeError} When `events` is not an async iterable. While streaming, when an event is invalid,
 *   such as with a line break in its type; the connection is then closed.
 * @see HTML Standard §9.2
 */
export function sendEvents(ctx: Context, events: AsyncIterable<ServerSentEvent>): void {
  if (typeof events?.[Symbol.asyncIterator] !== 'function') {
    const fix =
      typeof events === 'function' ? 'Call it.' : 'Pass the result of an async generator.';
    throw new TypeError(`sendEvents() cannot use ${describeValue(events)} as events. ${fix}`);
  }
  ctx.set('Content-Type', 'text/event-stream');
  ctx.set('Cache-Control', 'no-cache, no-transform');
  const { closing, res } = ctx;
  const stream = new EventStream(events, {
    onStart: () => {
      // Node would send the head with the first event, so clients could not tell that they are connected.
      if (res.headersSent) res.flushHeaders();
    },
    onError: (error) => internals.errorPolicyOf(ctx).onError(error, ctx),
  });
  // A response that has closed emits nothing that could remove a listener.
  if (res.destroyed) stream.destroy();
  else if (closing.aborted) stream.endEvents();
  else {
    closing.addEventListener('abort', stream.endEvents);
    onClose(res, () => {
      closing.removeEventListener('abort', stream.endEvents);
      stream.destroy();
    });
  }
  ctx.send(stream);
}

interface EventStreamHooks {
  /** Called before the first event is read. */
  readonly onStart: () => void;
  /** Called when the events fail after the stream has stopped reading them. */
  readonly onError: (error: unknown) => void;
}

/** The text of events. The stream can end while the next event is pending. */
class EventStream extends Readable {
  readonly #events: AsyncIterable<ServerSentEvent>;
  readonly #hooks: EventStreamHooks;
  #iterator: AsyncIterator<ServerSentEvent> | undefined = undefined;
  #isPending = false;
  /** Whether no more events are read. */
  #isOver = false;

  constructor(events: AsyncIterable<ServerSentEvent>, hooks: EventStreamHooks) {
    // Reads an event once the previous one was taken.
    super({ highWaterMark: 1 });
    this.#events = events;
    this.#hooks = hooks;
  }

  /** Ends the stream after the events that were already read. */
  readonly endEvents = (): void => {
    if (this.#isOver) return;
    const returned = this.#return();
    // The `finally` of a generator runs when its pending `await` settles, which may be never.
    if (this.#isPending) this.push(null);
    else void returned.then(() => this.push(null));
  };

  override _read(): void {
    if (!this.#isOver) void this.#readNext();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    if (this.#isOver) callback(error);
    else void this.#return().then(() => callback(error));
  }

  async #readNext(): Promise<void> {
    let result: IteratorResult<ServerSentEvent>;
    this.#isPending = true;
    try {
      if (this.#iterator === undefined) this.#hooks.onStart();
      this.#iterator ??= this.#events[Symbol.asyncIterator]();
      result = await this.#iterator.next();
    } catch (error) {
      this.#fail(error);
      return;
    } finally {
      this.#isPending = false;
    }
    if (this.#isOver) return;
    if (result.done) {
      this.#isOver = true;
      this.push(null);
      return;
    }
    try {
      this.push(formatEvent(result.value));
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  #fail(error: unknown): void {
    if (!this.#isOver) {
      this.#isOver = true;
      // Node accepts every thrown value.
      this.destroy(error as Error);
      return;
    }
    // Code that was given `ctx.signal` or `ctx.closing` fails with an AbortError.
    if (!(error instanceof Error && error.name === 'AbortError')) this.#hooks.onError(error);
  }

  /** Stops reading events. The promise never rejects. */
  async #return(): Promise<void> {
    this.#isOver = true;
    try {
      if (this.#iterator !== undefined) await this.#iterator.return?.();
      // The iterator of a stream destroys it only after the first read.
      else if (this.#events instanceof Readable) this.#events.destroy();
      else await this.#events[Symbol.asyncIterator]().return?.();
    } catch (error) {
      this.#hooks.onError(error);
    }
  }
}

const RETRY = integer(0, undefined, 'of milliseconds');

function formatEvent(sent: ServerSentEvent): string {
  const { data, event, id, retry }: Partial<ServerSentEvent> = Object(sent);
  if (typeof data !== 'string') {
    throw new TypeError(
      `Invalid data of a server-sent event: ${describeValue(data)}. Use a string, such as that of JSON.stringify().`,
    );
  }
  if (retry !== undefined && !RETRY.accepts(retry)) {
    throw new TypeError(
      `Invalid retry of a server-sent event: ${describeValue(retry)}. Use ${RETRY.description}.`,
    );
  }
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
