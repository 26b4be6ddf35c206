import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import type { AnyContext } from '@fairlead/core';
import { assertOptions, describe, type Responder, serialize } from '@fairlead/core/extend';
import { describeValue, integer, type Kinds, positiveMilliseconds } from '@fairlead/options';

/** One server-sent event. */
export interface ServerSentEvent {
  /** Text, which is sent as it is, with a `data` field for each line. Any other value is sent as JSON. */
  readonly data: unknown;
  /** The event's type, without line breaks; `message` by default. */
  readonly event?: string;
  /** The event's ID, without line breaks. A client that reconnects sends it as `Last-Event-ID`. */
  readonly id?: string;
  /** Milliseconds that a client waits before it reconnects. */
  readonly retry?: number;
}

/** The result of {@link eventStream}. Its type has that of the events, for typed clients. */
export interface EventStream<Event = ServerSentEvent> extends Responder {
  /** Exists only in types. */
  readonly '~events': Event;
}

/** Options of {@link sendEvents} and {@link eventStream}. */
export interface SendEventsOptions {
  /**
   * Milliseconds without an event after which a comment is sent, from 1 to 2,147,483,647. It keeps proxies
   * from closing the connection, and detects clients that have left. Default: no comments.
   */
  readonly heartbeat?: number;
}

const SEND_EVENTS_OPTIONS: Kinds<SendEventsOptions> = {
  heartbeat: positiveMilliseconds,
};

/**
 * Responds with a stream of server-sent events. Sends the headers before the first event, and reads
 * `events` as fast as the client receives them. `events` runs in the asynchronous context of the call, so
 * `currentContext()` works in a generator.
 *
 * When the client disconnects, the iteration ends and an async generator runs its `finally` as soon as its
 * pending `await` settles. Pass `ctx.signal` to what it awaits. If the client has already disconnected,
 * `events` is released without being read.
 *
 * When the server starts closing, the response ends after the events that were already read, so that the
 * client can reconnect to another process. The generator ends in the same way, so pass `ctx.closing` to what
 * it awaits as well.
 *
 * @param events - The events, in order.
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid.
 * @throws {TypeError} When `events` is not an async iterable. While streaming, when an event is invalid,
 *   such as with a line break in its type; the connection is then closed.
 * @see HTML Standard §9.2
 */
export function sendEvents(
  ctx: AnyContext,
  events: AsyncIterable<ServerSentEvent>,
  options: SendEventsOptions = {},
): void {
  assertEvents('sendEvents()', events, options);
  ctx.set('Content-Type', 'text/event-stream');
  ctx.set('Cache-Control', 'no-cache, no-transform');
  const { closing } = ctx;
  const stream = new EventText(events, options, (error) => ctx.report(error));
  closing.addEventListener('abort', stream.endEvents);
  ctx.onFinish(() => {
    closing.removeEventListener('abort', stream.endEvents);
    stream.destroy();
  });
  if (closing.aborted) stream.endEvents();
  ctx.send(stream);
  // Node would send the head with the first event, so clients could not tell that they are connected.
  ctx.flushHead();
}

/**
 * Turns events into a value that a handler or a method of a controller can return. The response is then the
 * same as with {@link sendEvents}.
 *
 * @param events - The events, in order.
 * @throws Same as {@link sendEvents}.
 */
export function eventStream<Event extends ServerSentEvent>(
  events: AsyncIterable<Event>,
  options: SendEventsOptions = {},
): EventStream<Event> {
  assertEvents('eventStream()', events, options);
  const value = describe({} as EventStream<Event>, {
    name: 'an event stream',
    role: 'response',
    respond: (ctx: AnyContext) => sendEvents(ctx, events, options),
    discard: () => void new EventText(events, {}, () => undefined).destroy(),
  });
  return Object.freeze(value);
}

/** @throws {SetupError | TypeError} */
function assertEvents(
  call: string,
  events: AsyncIterable<ServerSentEvent>,
  options: SendEventsOptions,
): void {
  assertOptions(call, options, SEND_EVENTS_OPTIONS);
  if (typeof events?.[Symbol.asyncIterator] === 'function') return;
  const fix = typeof events === 'function' ? 'Call it.' : 'Pass the result of an async generator.';
  throw new TypeError(`${call} cannot use ${describeValue(events)} as events. ${fix}`);
}

/** The text of events. The stream can end while the next event is pending. */
class EventText extends Readable {
  readonly #events: AsyncIterable<ServerSentEvent>;
  readonly #heartbeat: number | undefined;
  readonly #onError: (error: unknown) => void;
  /** Runs a function in the asynchronous context of the request. The writer reads in another one. */
  readonly #inContext = AsyncLocalStorage.snapshot();
  #timer: NodeJS.Timeout | undefined = undefined;
  #iterator: AsyncIterator<ServerSentEvent> | undefined = undefined;
  #isPending = false;
  /** Whether no more events are read. */
  #isOver = false;

  /** @param onError - Called when the events fail after the stream has stopped reading them. */
  constructor(
    events: AsyncIterable<ServerSentEvent>,
    { heartbeat }: SendEventsOptions,
    onError: (error: unknown) => void,
  ) {
    // Reads an event once the previous one was taken.
    super({ highWaterMark: 1 });
    this.#events = events;
    this.#heartbeat = heartbeat;
    this.#onError = onError;
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
    // A comment may be read while an event is pending.
    if (!this.#isOver && !this.#isPending) void this.#readNext();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    clearInterval(this.#timer);
    if (this.#isOver) callback(error);
    else void this.#return().then(() => callback(error));
  }

  async #readNext(): Promise<void> {
    let done: boolean | undefined;
    let value: ServerSentEvent;
    this.#isPending = true;
    try {
      this.#iterator ??= this.#start();
      const iterator = this.#iterator;
      ({ done, value } = await this.#inContext(() => iterator.next()));
    } catch (error) {
      this.#fail(error);
      return;
    } finally {
      this.#isPending = false;
    }
    if (this.#isOver) return;
    if (done) {
      this.#isOver = true;
      clearInterval(this.#timer);
      this.push(null);
      return;
    }
    try {
      const text = formatEvent(value);
      // Before the push, which may destroy the stream: refreshing restarts a timer that was cleared.
      this.#timer?.refresh();
      this.push(text);
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  /** Starts the events, and the comments while there are none. */
  #start(): AsyncIterator<ServerSentEvent> {
    if (this.#heartbeat !== undefined) {
      this.#timer = setInterval(() => {
        // A client that has not taken everything yet needs no comment.
        if (this.readableLength === 0) this.push(':\n\n');
      }, this.#heartbeat);
    }
    return this.#inContext(() => this.#events[Symbol.asyncIterator]());
  }

  #fail(error: unknown): void {
    if (!this.#isOver) {
      this.#isOver = true;
      // Node accepts every thrown value.
      this.destroy(error as Error);
      return;
    }
    // Code that was given `ctx.signal` or `ctx.closing` fails with an AbortError.
    if (!(error instanceof Error && error.name === 'AbortError')) this.#onError(error);
  }

  /** Stops reading events. The promise never rejects. */
  async #return(): Promise<void> {
    this.#isOver = true;
    clearInterval(this.#timer);
    try {
      const iterator = this.#iterator;
      if (iterator !== undefined) await this.#inContext(() => iterator.return?.());
      // The iterator of a stream destroys it only after the first read.
      else if (this.#events instanceof Readable) this.#events.destroy();
      else await this.#events[Symbol.asyncIterator]().return?.();
    } catch (error) {
      this.#onError(error);
    }
  }
}

/** Matches text that may be JSON, and some that is not. */
const JSON_START = /^\s*(?:["[{\d-]|(?:true|false|null)\s*$)/;

const RETRY = integer(0, undefined, 'number of milliseconds');

function formatEvent(sent: ServerSentEvent): string {
  const { data, event, id, retry }: Partial<ServerSentEvent> = Object(sent);
  const text = typeof data === 'string' ? data : toJson(data);
  if (retry !== undefined && !RETRY.accepts(retry)) {
    throw new TypeError(
      `Invalid retry of a server-sent event: ${describeValue(retry)}. Use ${RETRY.description}.`,
    );
  }
  const lines = [
    // Clients of `@fairlead/client` parse JSON.
    ...(typeof data === 'string' && JSON_START.test(data) ? [': text'] : []),
    ...(event === undefined ? [] : [`event: ${oneLine('event', event)}`]),
    ...(id === undefined ? [] : [`id: ${oneLine('id', id)}`]),
    ...(retry === undefined ? [] : [`retry: ${retry}`]),
    ...text.split(/\r\n|\r|\n/).map((line) => `data: ${line}`),
  ];
  return `${lines.join('\n')}\n\n`;
}

/** @throws {TypeError} If JSON cannot represent the value. */
function toJson(data: unknown): string {
  const problem = 'Invalid data of a server-sent event';
  if (data === undefined) throw new TypeError(`${problem}: undefined. Use text or a JSON value.`);
  try {
    return serialize(data);
  } catch (cause) {
    throw new TypeError(`${problem}: ${(cause as Error).message}`, { cause });
  }
}

function oneLine(field: string, text: unknown): string {
  if (typeof text !== 'string') {
    const problem = `Invalid ${field} of a server-sent event: ${describeValue(text)}`;
    throw new TypeError(`${problem}. Use a string.`);
  }
  if (!/[\r\n\0]/.test(text)) return text;
  throw new TypeError(
    `Invalid ${field} of a server-sent event: ${JSON.stringify(text)}. Remove line breaks and NUL characters.`,
  );
}
