import { describeValue } from '@fairlead/options';
import { type RawData, WebSocket } from 'ws';
import type { CompleteOptions } from './options.js';

/** Why a connection has closed. */
export interface CloseReason {
  /** The code that was received: 1005 if none was sent, and 1006 if the connection broke. */
  readonly code: number;
  /** The text that was received; often empty. */
  readonly reason: string;
}

/** Messages that wait for the handler before the server stops reading from the client. */
const MAX_QUEUED = 16;

/** Seconds over which the rate of messages is averaged. */
const RATE_PERIOD = 10;

/**
 * The server's side of a WebSocket connection. Iterate over it to receive messages: a string for a text
 * message, and a `Buffer` for a binary one. The iteration ends when the connection closes.
 *
 * While the handler is busy, at most 16 messages and what one read of 64 KiB contains wait. Then the server
 * stops reading, so that the client must wait, too. Once the handler has ended, messages that nothing
 * iterates over are discarded.
 *
 * @see RFC 6455
 */
export interface WebSocketConnection extends AsyncIterable<string | Buffer, undefined> {
  /** Resolves when the connection has closed. Never rejects. */
  readonly closed: Promise<CloseReason>;
  /** The subprotocol that was selected; empty if none was. */
  readonly protocol: string;
  /** Whether messages can be sent. */
  readonly isOpen: boolean;
  /** Bytes that wait for the client to read. */
  readonly bufferedAmount: number;
  /**
   * Sends a message. Does nothing when the connection is closing. When more than `maxBufferSize` bytes wait
   * for the client, disconnects it instead.
   *
   * @param data - A string for a text message, bytes for a binary one.
   * @returns A promise that resolves when the operating system has the message, or the connection has closed.
   *   Await it between messages to send only as fast as the client reads. Never rejects.
   * @throws {TypeError} When `data` has another type.
   */
  send(data: string | Uint8Array): Promise<void>;
  /**
   * Starts to close the connection. A client that does not confirm it is disconnected after five seconds.
   *
   * @param code - 1000, 1001, 1008, 1011 or another code of RFC 6455 §7.4; 3000 to 4999 for your own.
   *   Default 1000.
   * @param reason - At most 123 bytes. Default empty.
   * @throws {TypeError | RangeError} When the code or the reason is invalid.
   */
  close(code?: number, reason?: string): void;
  /** Disconnects the client immediately. The client sees code 1006. */
  terminate(): void;
}

/** A ws connection, with limits. */
export class LimitedConnection implements WebSocketConnection {
  readonly closed: Promise<CloseReason>;

  readonly #ws: WebSocket;
  readonly #maxBufferSize: number;
  readonly #rate: number;
  readonly #queue: (string | Buffer)[] = [];
  /** Resolves when a message arrives or the connection closes, if an iteration waits for that. */
  #change: PromiseWithResolvers<void> | undefined = undefined;
  #isClosed = false;
  /** Whether anything may still read messages that arrive. */
  #readers = 0;
  #isHandled = false;
  #isPaused = false;
  /** Whether the client has sent something since the last ping. */
  #isAlive = true;
  /** Messages that the client may still send at `#countedAt`. */
  #credit: number;
  #countedAt = performance.now();

  /** @param closing - Aborts when the server starts closing. */
  constructor(ws: WebSocket, options: CompleteOptions, closing: AbortSignal) {
    this.#ws = ws;
    this.#maxBufferSize = options.maxBufferSize;
    this.#rate = options.maxMessageRate / 1_000;
    this.#credit = options.maxMessageRate * RATE_PERIOD;
    const drain = (): void => this.close(1001, 'The server is closing.');
    const pings = setInterval(() => this.#ping(), options.pingInterval);
    pings.unref();
    this.closed = new Promise((resolve) => {
      ws.on('close', (code, reason) => {
        clearInterval(pings);
        closing.removeEventListener('abort', drain);
        this.#isClosed = true;
        this.#wake();
        resolve(Object.freeze({ code, reason: reason.toString() }));
      });
    });
    closing.addEventListener('abort', drain);
    ws.on('message', (data, isBinary) => this.#receive(data, isBinary));
    ws.on('ping', () => this.#count());
    ws.on('pong', () => this.#count());
    // The client has broken the protocol. ws closes the connection with the code for that.
    ws.on('error', () => undefined);
  }

  get protocol(): string {
    return this.#ws.protocol;
  }

  get isOpen(): boolean {
    return this.#ws.readyState === WebSocket.OPEN;
  }

  get bufferedAmount(): number {
    return this.#ws.bufferedAmount;
  }

  send(data: string | Uint8Array): Promise<void> {
    if (typeof data !== 'string' && !(data instanceof Uint8Array)) {
      const fix = 'Pass a string or a Uint8Array, such as the result of JSON.stringify().';
      throw new TypeError(`Cannot send ${describeValue(data)} over a WebSocket. ${fix}`);
    }
    if (!this.isOpen) return Promise.resolve();
    if (this.#ws.bufferedAmount > this.#maxBufferSize) {
      this.terminate();
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#ws.send(data, () => resolve()));
  }

  close(code = 1000, reason = ''): void {
    this.#ws.close(code, reason);
    // The confirmation comes after the messages that were not read.
    this.#resume();
  }

  terminate(): void {
    this.#ws.terminate();
  }

  [Symbol.asyncIterator](): AsyncIterator<string | Buffer, undefined> {
    this.#readers += 1;
    return {
      next: async () => {
        while (this.#queue.length === 0 && !this.#isClosed) {
          this.#change ??= Promise.withResolvers();
          await this.#change.promise;
        }
        const value = this.#queue.shift();
        if (this.#queue.length === 0) this.#resume();
        return value === undefined ? { done: true, value } : { done: false, value };
      },
      return: async () => {
        this.#readers -= 1;
        this.#discard();
        return { done: true, value: undefined };
      },
    };
  }

  /** Call it when the handler has ended. */
  endHandler(): void {
    this.#isHandled = true;
    this.#discard();
  }

  get #isUnread(): boolean {
    return this.#isHandled && this.#readers === 0;
  }

  #wake(): void {
    this.#change?.resolve();
    this.#change = undefined;
  }

  #discard(): void {
    if (!this.#isUnread) return;
    this.#queue.length = 0;
    this.#resume();
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (!this.#count() || this.#isUnread) return;
    // The default binaryType of ws is a Buffer.
    this.#queue.push(isBinary ? (data as Buffer) : data.toString());
    if (this.#queue.length >= MAX_QUEUED) this.#pause();
    this.#wake();
  }

  /** Counts a message. Returns false, and closes the connection, when the client sends too many. */
  #count(): boolean {
    this.#isAlive = true;
    if (!this.isOpen) return false;
    this.#refill(this.#rate * 1_000 * RATE_PERIOD);
    this.#credit -= 1;
    if (this.#credit >= 0) return true;
    this.close(1008, 'Too many messages.');
    return false;
  }

  #refill(max: number): void {
    const now = performance.now();
    const refilled = this.#credit + (now - this.#countedAt) * this.#rate;
    // A pause may have left more credit than the maximum.
    this.#credit = Math.max(this.#credit, Math.min(max, refilled));
    this.#countedAt = now;
  }

  #pause(): void {
    if (this.#isPaused || !this.isOpen) return;
    this.#isPaused = true;
    this.#ws.pause();
  }

  #resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    // What the client sent meanwhile arrives all at once.
    this.#refill(Number.POSITIVE_INFINITY);
    this.#isAlive = true;
    this.#ws.resume();
  }

  #ping(): void {
    // While the server does not read, pongs wait, too.
    if (!this.#isAlive && !this.#isPaused) {
      this.terminate();
      return;
    }
    this.#isAlive = false;
    if (this.isOpen) this.#ws.ping();
  }
}
