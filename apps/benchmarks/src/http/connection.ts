import { connect, type Socket } from 'node:net';

/** Answers are read at once, so all connections share one buffer. */
const BUFFER = Buffer.alloc(65_536);

/** One request as it is sent, and the answer that is expected. */
export interface WireExchange {
  readonly request: Buffer;
  readonly status: number;
  readonly bodyLength: number;
}

/** A keep-alive connection with one request at a time, which verifies status and length of each answer. */
export class Connection {
  readonly #socket: Socket;
  readonly #onAnswer: (connection: Connection) => void;
  readonly #onError: (error: Error) => void;
  #expected: WireExchange | undefined;
  #head = '';
  /** Bytes of the answer that are to come; undefined until its head is complete. */
  #missing: number | undefined;
  /** When the last request was sent. */
  sentAt = 0;

  constructor(
    port: number,
    onAnswer: (connection: Connection) => void,
    onError: (error: Error) => void,
  ) {
    this.#onAnswer = onAnswer;
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
      this.#onError(new Error(`The answer is too long: ${this.#head}`));
    } else if (this.#missing === 0) {
      this.#expected = undefined;
      this.#onAnswer(this);
    }
    return true;
  }

  /** @returns The length of the body. */
  #readHead(end: number): number {
    const status = Number(this.#head.slice(9, 12));
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(this.#head)?.[1]);
    if (status !== this.#expected?.status || length !== this.#expected.bodyLength) {
      this.#onError(new Error(`The answer is not as expected: ${this.#head.slice(0, end)}`));
    }
    return length;
  }
}
