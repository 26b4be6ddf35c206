import { Connection, type WireExchange } from './connection.js';
import type { Exchange } from './exchange.js';

/** What came back in a slice of time. */
export interface Slice {
  readonly requests: number;
  /** From the first request to the last answer, in milliseconds. */
  readonly duration: number;
  /** Of each request, in milliseconds. */
  readonly latencies: readonly number[];
}

/** What sends requests to one server. */
export interface LoadGenerator {
  /**
   * Sends as fast as answers come, and then waits for the answers that are due.
   *
   * @param milliseconds - How long requests are sent.
   * @throws {Error} When an answer is not as expected.
   */
  run(milliseconds: number): Promise<Slice>;
  /** Ends all connections. */
  close(): void;
}

/** Servers end connections that were idle for 5 seconds; so long before, they are made anew. */
const IDLE_LIMIT = 3_000;

/** Loads one server over some keep-alive connections, each with one request at a time. */
export class Load implements LoadGenerator {
  readonly #port: number;
  readonly #count: number;
  readonly #exchanges: readonly WireExchange[];
  #connections: Connection[] = [];
  #usedAt = Number.NEGATIVE_INFINITY;
  #next = 0;
  #onAnswer: (connection: Connection) => void = () => {};
  #onError: (error: Error) => void = () => {};

  /**
   * @param port - The server's port on 127.0.0.1.
   * @param exchanges - Sent in turn.
   * @param count - How many connections.
   */
  constructor(port: number, exchanges: readonly Exchange[], count: number) {
    this.#port = port;
    this.#count = count;
    this.#exchanges = exchanges.map(toWire);
  }

  /** @throws {Error} When an answer has another status or length than expected. */
  async run(milliseconds: number): Promise<Slice> {
    if (performance.now() - this.#usedAt > IDLE_LIMIT) await this.#connect();
    const latencies: number[] = [];
    const begin = performance.now();
    let due = this.#connections.length;
    await this.#answers((connection, finish) => {
      const now = performance.now();
      latencies.push(now - connection.sentAt);
      if (now - begin < milliseconds) return this.#send(connection);
      due -= 1;
      if (due === 0) finish();
    });
    this.#usedAt = performance.now();
    return { requests: latencies.length, duration: this.#usedAt - begin, latencies };
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
    this.#connections = [];
  }

  /** Makes all connections, and sends one request on each. */
  async #connect(): Promise<void> {
    this.close();
    this.#connections = Array.from(
      { length: this.#count },
      () =>
        new Connection(
          this.#port,
          (connection) => this.#onAnswer(connection),
          (error) => this.#onError(error),
        ),
    );
    let due = this.#count;
    await this.#answers((_connection, finish) => {
      due -= 1;
      if (due === 0) finish();
    });
  }

  /** Sends on all connections, and hands each answer on, until there is an end or an error. */
  #answers(onAnswer: (connection: Connection, finish: () => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onAnswer = (connection) => onAnswer(connection, resolve);
      this.#onError = reject;
      for (const connection of this.#connections) this.#send(connection);
    });
  }

  #send(connection: Connection): void {
    const exchange = this.#exchanges[this.#next % this.#exchanges.length];
    if (exchange === undefined) throw new RangeError('A workload needs a request.');
    this.#next += 1;
    connection.send(exchange);
  }
}

function toWire({ method, path, headers, body = '', status, answer }: Exchange): WireExchange {
  const fields = { Host: '127.0.0.1', ...headers };
  const length = method === 'POST' ? { 'Content-Length': `${Buffer.byteLength(body)}` } : {};
  const lines = Object.entries({ ...fields, ...length }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return {
    request: Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, '', body].join('\r\n')),
    status,
    bodyLength: Buffer.byteLength(answer),
  };
}
