import { connect, type Socket } from 'node:net';
import type { Exchange } from './workloads.js';

/** The result of loading a server for a while. */
export interface Slice {
  readonly requests: number;
  /** The time from the first request to the last response, in milliseconds. */
  readonly duration: number;
  /** The latency of each request, in milliseconds. */
  readonly latencies: readonly number[];
}

/** Sends requests to one server. */
export interface LoadGenerator {
  /**
   * Sends a request on each connection as soon as the previous response is complete.
   *
   * @param milliseconds - How long it sends requests. It then waits for the open responses.
   * @throws {Error} If a response differs from the expected one.
   */
  run(milliseconds: number): Promise<Slice>;
  /** Closes all connections. */
  close(): void;
}

/** Creates a generator for a port on 127.0.0.1 that sends the exchanges in turn. */
export type CreateLoad = (
  port: number,
  exchanges: readonly Exchange[],
  connections: number,
) => LoadGenerator;

/** An exchange as it goes over the wire. */
interface WireExchange {
  readonly request: Buffer;
  readonly status: number;
  readonly bodyLength: number;
}

function toWire({ method, path, headers, body = '', status, response }: Exchange): WireExchange {
  const length = method === 'GET' ? {} : { 'Content-Length': `${Buffer.byteLength(body)}` };
  const fields = Object.entries({ Host: '127.0.0.1', ...headers, ...length });
  const lines = fields.map(([name, value]) => `${name}: ${value}`);
  return {
    request: Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, '', body].join('\r\n')),
    status,
    bodyLength: Buffer.byteLength(response),
  };
}

/** All connections share one buffer because each chunk is read before the next one arrives. */
const BUFFER = Buffer.alloc(65_536);

/** A keep-alive connection with one request at a time. Checks each response's status and length. */
class Connection {
  readonly #socket: Socket;
  readonly #onResponse: (connection: Connection) => void;
  readonly #onError: (error: Error) => void;
  #expected: WireExchange | undefined;
  #head = '';
  /** How many bytes of the response are missing. Undefined until its head is complete. */
  #missing: number | undefined;
  /** When the last request was sent. */
  sentAt = 0;

  constructor(
    port: number,
    onResponse: (connection: Connection) => void,
    onError: (error: Error) => void,
  ) {
    this.#onResponse = onResponse;
    this.#onError = onError;
    this.#socket = connect({
      ...{ port, host: '127.0.0.1', noDelay: true },
      onread: { buffer: BUFFER, callback: (length) => this.#receive(length) },
    });
    this.#socket.on('error', onError);
    this.#socket.on('close', () => {
      if (this.#expected !== undefined) onError(new Error('The server closed a connection.'));
    });
  }

  send(exchange: WireExchange): void {
    this.#expected = exchange;
    this.#head = '';
    this.#missing = undefined;
    this.sentAt = performance.now();
    this.#socket.write(exchange.request);
  }

  close(): void {
    this.#expected = undefined;
    this.#socket.destroy();
  }

  #receive(length: number): boolean {
    if (this.#missing === undefined) {
      this.#head += BUFFER.toString('latin1', 0, length);
      const end = this.#head.indexOf('\r\n\r\n');
      if (end < 0) return true;
      this.#missing = this.#readHead(end) + end + 4 - this.#head.length;
    } else {
      this.#missing -= length;
    }
    if (this.#missing < 0) {
      this.#onError(new Error(`The response is too long: ${this.#head}`));
    } else if (this.#missing === 0) {
      this.#expected = undefined;
      this.#onResponse(this);
    }
    return true;
  }

  /** Returns the length of the body. */
  #readHead(end: number): number {
    const status = Number(this.#head.slice(9, 12));
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(this.#head)?.[1]);
    if (status !== this.#expected?.status || length !== this.#expected.bodyLength) {
      this.#onError(new Error(`The response is not as expected: ${this.#head.slice(0, end)}`));
    }
    return length;
  }
}

/** Servers close connections that are idle for 5 seconds. Idle ones are replaced well before that. */
const IDLE_LIMIT = 3_000;

/** Loads a server over keep-alive connections that stay open between runs. */
export class Load implements LoadGenerator {
  readonly #port: number;
  readonly #exchanges: readonly WireExchange[];
  readonly #count: number;
  #connections: readonly Connection[] = [];
  #usedAt = Number.NEGATIVE_INFINITY;
  #next = 0;
  #onResponse: (connection: Connection) => void = () => {};
  #onError: (error: Error) => void = () => {};

  /**
   * @param port - The server's port on 127.0.0.1.
   * @param exchanges - Sent in turn.
   * @param connections - The number of connections.
   */
  constructor(port: number, exchanges: readonly Exchange[], connections: number) {
    this.#port = port;
    this.#exchanges = exchanges.map(toWire);
    this.#count = connections;
  }

  async run(milliseconds: number): Promise<Slice> {
    if (performance.now() - this.#usedAt > IDLE_LIMIT) {
      this.#reconnect();
      await this.#sendFor(0);
    }
    return this.#sendFor(milliseconds);
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
    this.#connections = [];
  }

  #reconnect(): void {
    this.close();
    const onResponse = (connection: Connection) => this.#onResponse(connection);
    const onError = (error: Error) => this.#onError(error);
    const create = () => new Connection(this.#port, onResponse, onError);
    this.#connections = Array.from({ length: this.#count }, create);
  }

  /** Sends at least one request on each connection. */
  #sendFor(milliseconds: number): Promise<Slice> {
    const latencies: number[] = [];
    let open = this.#connections.length;
    const begin = performance.now();
    return new Promise((resolve, reject) => {
      this.#onError = reject;
      this.#onResponse = (connection) => {
        const now = performance.now();
        latencies.push(now - connection.sentAt);
        if (now - begin < milliseconds) return this.#send(connection);
        open -= 1;
        if (open > 0) return;
        this.#usedAt = now;
        resolve({ requests: latencies.length, duration: now - begin, latencies });
      };
      for (const connection of this.#connections) this.#send(connection);
    });
  }

  #send(connection: Connection): void {
    const exchange = this.#exchanges[this.#next % this.#exchanges.length];
    if (exchange === undefined) throw new RangeError('A workload needs at least one request.');
    this.#next += 1;
    connection.send(exchange);
  }
}
