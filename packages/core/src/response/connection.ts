import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests of one connection run at a time. A client that wants more opens another. */
const MAX_RUNNING = 10;

/** A request that waits for earlier ones on its connection. */
interface WaitingRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly run: RequestListener;
}

/** What a server knows about one connection. */
class Connection {
  readonly socket: Socket;
  /** Value of the `Keep-Alive` header; undefined when connections may stay open forever. */
  readonly keepAlive: string | undefined;
  /**
   * Response to the last request; null once it has been sent and its request read to the end, so
   * that an idle connection holds nothing; undefined before the first request.
   */
  latest: ServerResponse | null | undefined = undefined;
  /** Whether a response has announced that it is the last one. */
  isEnding = false;
  isDraining = false;
  /** Number of requests that run, or whose response has not been sent completely. */
  running = 0;
  /** Requests that have been read and do not run yet. */
  readonly waiting: WaitingRequest[] = [];
  /** Whether reading stops until no request waits. */
  isPaused = false;
  /** When the connection was first seen idle, in milliseconds; undefined since its last request. */
  idleSince: number | undefined = undefined;
  /** Bytes read by then. */
  #idleBytes = 0;
  /** When bytes were first seen that do not complete a request head. */
  #begunSince: number | undefined = undefined;
  /** Bytes that the system has taken so far; undefined while none wait. */
  #taken: number | undefined = undefined;
  #stalledSince = 0;

  constructor(socket: Socket, keepAlive: string | undefined) {
    this.socket = socket;
    this.keepAlive = keepAlive;
  }

  /** Stops reading. Node resumes a connection after each request; see {@link keepPaused}. */
  pause(): void {
    this.isPaused = true;
    this.socket.pause();
  }

  /** Runs as many waiting requests as may run, and reads on once none waits. */
  runWaiting(): void {
    if (this.socket.destroyed) this.waiting.length = 0;
    while (this.running < MAX_RUNNING) {
      const next = this.waiting.shift();
      if (next === undefined) break;
      this.running += 1;
      next.run(next.req, next.res);
    }
    if (this.waiting.length > 0 || this.isEnding || !this.isPaused) return;
    this.isPaused = false;
    this.socket.resume();
  }

  /** Whether a request is being worked on, or bytes wait to be sent. */
  get isBusy(): boolean {
    return this.socket.writableLength > 0 || (this.latest != null && !this.latest.writableFinished);
  }

  /**
   * Whether bytes wait for the client, and it has taken none of them for `timeout` milliseconds.
   *
   * @param now - Milliseconds on a monotonic clock.
   * @param timeout - 0 sets no limit.
   */
  isStalled(now: number, timeout: number): boolean {
    if (timeout === 0 || this.socket.writableLength === 0) {
      this.#taken = undefined;
      return false;
    }
    const taken = bytesTaken(this.socket);
    if (taken !== this.#taken) {
      this.#taken = taken;
      this.#stalledSince = now;
    }
    return now - this.#stalledSince >= timeout;
  }

  /**
   * Tells whether the connection has waited too long for its next request: `'idle'` when nothing has
   * arrived, `'late'` when bytes have that do not complete a request head, such as empty lines.
   *
   * @param now - Milliseconds on a monotonic clock.
   * @param timeout - Milliseconds without a byte; 0 sets no limit.
   * @param headTimeout - Milliseconds from the first byte until the request head is complete.
   */
  idleness(now: number, timeout: number, headTimeout: number): 'idle' | 'late' | undefined {
    if (timeout === 0 || this.latest === undefined || this.isBusy) return undefined;
    const { bytesRead } = this.socket;
    if (this.idleSince === undefined) {
      this.idleSince = now;
      this.#idleBytes = bytesRead;
      this.#begunSince = undefined;
    } else if (bytesRead !== this.#idleBytes) {
      this.#begunSince ??= now;
      if (now - this.#begunSince >= headTimeout) return 'late';
    } else if (now - this.idleSince >= timeout) return 'idle';
    return undefined;
  }
}

export type { Connection };

/** Bytes of a socket that the system has taken, of a chunk that is being written too. */
function bytesTaken(socket: Socket): number {
  // Node counts a chunk once all of it is written; only the socket's handle knows how much of it is left.
  // Where a runtime does not tell, a slow client must take a whole chunk within the time-out.
  const { _handle: handle } = socket as { _handle?: { writeQueueSize?: number } | null };
  return socket.bytesWritten - socket.writableLength - (handle?.writeQueueSize ?? 0);
}

const CONNECTION = Symbol('connection');

type Tracked = { [CONNECTION]?: Connection };

/**
 * Begins to track a connection.
 *
 * @param keepAliveTimeout - What responses announce, in milliseconds; 0 announces nothing.
 */
export function track(socket: Socket, keepAliveTimeout: number): void {
  const keepAlive =
    keepAliveTimeout > 0 ? `timeout=${Math.floor(keepAliveTimeout / 1_000)}` : undefined;
  (socket as Tracked)[CONNECTION] = new Connection(socket, keepAlive);
  socket.on('resume', keepPaused);
}

function keepPaused(this: Socket): void {
  if (connectionOf(this)?.isPaused) this.pause();
}

/** The connection of a socket; undefined when {@link track} has not seen it. */
export function connectionOf(socket: Socket): Connection | undefined {
  return (socket as Tracked)[CONNECTION];
}

/**
 * Runs a request, at once or after earlier requests of its connection. A request that comes after
 * the announced end of its connection is ignored.
 *
 * @param run - Answers the request.
 * @see RFC 9112 §9.3.2 (pipelining), §9.6 (the end of a connection)
 */
export function admit(req: IncomingMessage, res: ServerResponse, run: RequestListener): void {
  const connection = connectionOf(req.socket);
  if (connection === undefined) {
    run(req, res);
    return;
  }
  if (connection.isEnding) {
    connection.pause();
    return;
  }
  (res as Tracked)[CONNECTION] = connection;
  connection.latest = res;
  connection.idleSince = undefined;
  res.on('close', onSent);
  if (connection.running < MAX_RUNNING) {
    connection.running += 1;
    run(req, res);
    return;
  }
  connection.waiting.push({ req, res, run });
  connection.pause();
}

function onSent(this: ServerResponse): void {
  const connection = (this as Tracked)[CONNECTION];
  if (connection === undefined) return;
  connection.running -= 1;
  if (connection.latest === this && this.req.complete) connection.latest = null;
  if (connection.waiting.length > 0) connection.runWaiting();
}

/** The value of `Keep-Alive` for a response that leaves its connection open; undefined for none. */
export function keepAliveOf(res: ServerResponse): string | undefined {
  // Node closes the connection after a response to HTTP/1.0 that has no length.
  if (!res.shouldKeepAlive || !res.useChunkedEncodingByDefault) return undefined;
  return (res as Tracked)[CONNECTION]?.keepAlive;
}

/** Remembers that a response announces the end of its connection: later requests are not run. */
export function announceEnd(res: ServerResponse): void {
  const connection = (res as Tracked)[CONNECTION];
  if (connection === undefined) return;
  connection.isEnding = true;
  const { waiting } = connection;
  waiting.length = waiting.findIndex((request) => request.res === res) + 1;
}

/** Makes the last response on a connection announce its end from now on. */
export function drain(socket: Socket): void {
  const connection = connectionOf(socket);
  if (connection !== undefined) connection.isDraining = true;
}

/** Whether a response is the one that ends a connection which is being drained. */
export function endsDrain(res: ServerResponse): boolean {
  const connection = (res as Tracked)[CONNECTION];
  if (!connection?.isDraining) return false;
  return (connection.latest ?? res) === res;
}
