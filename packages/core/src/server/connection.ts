import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Timeout = 'headersTimeout' | 'keepAliveTimeout' | 'requestTimeout' | 'writeTimeout';

/** The state of one connection. */
export class Connection {
  readonly socket: Socket;
  /** Value of the `Keep-Alive` header; undefined when idle connections have no timeout. */
  readonly keepAlive: string | undefined;
  /** Aborts when the server starts closing. Undefined for a connection in memory. */
  readonly closing: AbortSignal | undefined;
  /**
   * The response to the last request. Null once it has closed and its request has been read completely, so that an
   * idle connection retains nothing that each garbage collection would copy. Undefined before the first request.
   */
  latest: ServerResponse | null | undefined = undefined;
  /** The requests whose clients wait for `100 Continue`; undefined before the first one. */
  continues: WeakSet<IncomingMessage> | undefined = undefined;
  /** Whether a response has announced the end of the connection. */
  isEnding = false;
  /** Whether the connection has left HTTP. Its pending bytes still have a timeout. */
  isUpgraded = false;
  /** Number of pipelined requests whose response has not been sent completely. */
  running = 0;
  /** Pipelined requests that have arrived but are not running yet. */
  readonly waiting: { readonly res: ServerResponse; readonly run: () => void }[] = [];
  /** Whether reading is paused because requests wait. */
  isPaused = false;
  /** Bytes read when a check found that the last request had ended; undefined from its end to that check. */
  #idleBytes: number | undefined = 0;
  /** What the last check found the connection waiting for, and when it began, in milliseconds. */
  #wait = '';
  #waitingSince = 0;

  constructor(socket: Socket, keepAlive: string | undefined, closing: AbortSignal | undefined) {
    this.socket = socket;
    this.keepAlive = keepAlive;
    this.closing = closing;
  }

  /** Lets go of a response that has closed, once its request has been read completely. */
  forget(res: ServerResponse): void {
    if (this.latest !== res || !res.req.complete) return;
    this.latest = null;
    this.#idleBytes = undefined;
  }

  /** Stops reading. Node resumes the socket after each request; see {@link track}. */
  pause(): void {
    this.isPaused = true;
    this.socket.pause();
  }

  /** Reads again, unless requests wait, or a response has announced the end of the connection. */
  resume(): void {
    if (this.waiting.length > 0 || this.isEnding || !this.isPaused) return;
    this.isPaused = false;
    this.socket.resume();
  }

  /** Whether a request is running or its bytes are pending. */
  get isBusy(): boolean {
    if (this.isUpgraded) return false;
    return this.socket.writableLength > 0 || (this.latest != null && !this.latest.writableFinished);
  }

  /**
   * Returns the timeout that the connection exceeds. Call it regularly.
   *
   * @param now - Milliseconds on a monotonic clock.
   * @param timeouts - In milliseconds; 0 sets no limit.
   */
  findTimeout(now: number, timeouts: Readonly<Record<Timeout, number>>): Timeout | undefined {
    const [timeout, progress] = this.#findWait(timeouts.writeTimeout > 0);
    const wait = `${timeout} ${progress}`;
    if (wait !== this.#wait) {
      this.#wait = wait;
      this.#waitingSince = now;
    }
    if (timeout === undefined || timeouts[timeout] === 0) return undefined;
    return now - this.#waitingSince >= timeouts[timeout] ? timeout : undefined;
  }

  /** Returns the timeout that applies now, and a number whose change starts it again. */
  #findWait(limitsWrites: boolean): readonly [timeout?: Timeout, progress?: number] {
    const { socket, latest } = this;
    if (limitsWrites && socket.writableLength > 0)
      return ['writeTimeout', bytesAcceptedFrom(socket)];
    // The client may have disconnected, which a paused connection does not notice.
    if (this.isPaused) return ['requestTimeout', this.waiting.length];
    // A response may end before the body of its request. Until then, the request has its own timeout.
    if (latest?.writableFinished) this.forget(latest);
    if (this.latest !== null || this.isUpgraded) return [];
    this.#idleBytes ??= socket.bytesRead;
    // Further bytes, such as empty lines, may never become a request head.
    const isIdle = socket.bytesRead === this.#idleBytes;
    return [isIdle ? 'keepAliveTimeout' : 'headersTimeout', this.#idleBytes];
  }
}

/** Returns the bytes that the operating system has accepted, including parts of a pending chunk. */
function bytesAcceptedFrom(socket: Socket): number {
  // TLS encrypts a chunk as a whole, so only its underlying socket knows how much was accepted.
  const { _parent } = socket as { _parent?: Socket | null };
  const below = _parent ?? socket;
  // Node counts a chunk once it is written completely. Only the socket's handle knows the remainder.
  // Without it, a slow client must accept a whole chunk within the timeout.
  const { _handle: handle } = below as { _handle?: { writeQueueSize?: number } | null };
  return below.bytesWritten - below.writableLength - (handle?.writeQueueSize ?? 0);
}

/** Where a socket has its {@link Connection}. */
export const CONNECTION: unique symbol = Symbol('connection');

/** A socket, which is tracked if it has a connection. */
export type Tracked = { [CONNECTION]?: Connection };

/** Starts tracking a connection, unless it is tracked already. */
export function track(socket: Socket, keepAlive?: string, closing?: AbortSignal): void {
  if (connectionOf(socket) !== undefined) return;
  (socket as Tracked)[CONNECTION] = new Connection(socket, keepAlive, closing);
  socket.on('resume', () => {
    if (connectionOf(socket)?.isPaused) socket.pause();
  });
}

/** Stops tracking a connection that belongs to another protocol. It then has no timeouts. */
export function release(socket: Socket): void {
  delete (socket as Tracked)[CONNECTION];
}

/** Returns the connection of a socket, or undefined when the socket is not tracked. */
export function connectionOf(socket: Socket): Connection | undefined {
  return (socket as Tracked)[CONNECTION];
}

const ANNOUNCED = Symbol('announced');

/** A request that emits events as if it had a body. */
interface Announced extends IncomingMessage {
  /** Whether Node.js emits the events itself, after {@link reopen}. */
  [ANNOUNCED]?: { isReopened: boolean };
  /** Node's own. */
  _dumped?: boolean;
  readonly _readableState?: Record<string, unknown>;
}

/**
 * Makes a request emit 'end', and 'close' and 'aborted' when the response closes, as if it had a body that was
 * not read. Node.js emits none of them for a request that was closed when it arrived: one without a body, with
 * the option `optimizeEmptyRequests` since version 24.
 */
export function announce(req: Announced, res: ServerResponse): void {
  if (ANNOUNCED in req) return;
  const state = { isReopened: false };
  let isAnnounced = false;
  const announceClose = (): void => {
    if (state.isReopened) return;
    if (!res.writableFinished) {
      req.aborted = true;
      req.emit('aborted');
    }
    req.emit('close');
  };
  const addListener = (event: string, listener: () => void): IncomingMessage => {
    Object.getPrototypeOf(req).on.call(req, event, listener);
    if (event === 'end') {
      process.nextTick(() => {
        if (req.rawListeners(event).includes(listener)) listener.call(req);
      });
    } else if (!isAnnounced && (event === 'close' || event === 'aborted')) {
      isAnnounced = true;
      onClose(res, announceClose);
    }
    return req;
  };
  // Own properties, because an Express application replaces the prototype.
  Object.assign(req, { [ANNOUNCED]: state, on: addListener, addListener });
}

/**
 * Opens a request that was closed when it arrived, for code that needs Node's own stream: `destroy()` closes the
 * connection, and events of reading are emitted. Node.js closes requests without a body early: see `announce()`.
 */
export function reopen(req: IncomingMessage): void {
  const emptied: Announced = req;
  const { _readableState: readable, [ANNOUNCED]: announced } = emptied;
  if (!req.closed || emptied._dumped !== true || readable === undefined) return;
  // What Node.js has set to save the events.
  const closed = ['ended', 'endEmitted', 'destroyed', 'closed', 'closeEmitted'];
  for (const name of closed) readable[name] = false;
  emptied._dumped = false;
  req.push(null);
  if (announced === undefined) return;
  announced.isReopened = true;
  Reflect.deleteProperty(req, 'on');
  Reflect.deleteProperty(req, 'addListener');
}

const CLOSE_CALLBACKS = Symbol('close callbacks');

/**
 * Calls a function when a response closes. All functions of a response share one listener. Node
 * warns about more than ten listeners, and adds seven itself when it pipes a stream to the response.
 *
 * @param res - A response that has not closed.
 */
export function onClose(
  res: ServerResponse & { [CLOSE_CALLBACKS]?: (() => void)[] },
  callback: () => void,
): void {
  if (res[CLOSE_CALLBACKS]?.push(callback) !== undefined) return;
  const callbacks = [callback];
  res[CLOSE_CALLBACKS] = callbacks;
  res.once('close', () => {
    for (const call of callbacks) call();
  });
}

const QUEUED = Symbol('queued responses');

/**
 * Closes a response when its connection closes while it waits for earlier ones. Node does so only since
 * version 24.
 *
 * @param res - A response that has no socket yet.
 */
export function closeWithSocket(res: ServerResponse): void {
  const socket: Socket & { [QUEUED]?: Set<ServerResponse> } = res.req.socket;
  const queued = socket[QUEUED] ?? new Set();
  if (socket[QUEUED] === undefined) {
    socket[QUEUED] = queued;
    socket.once('close', () => {
      for (const waiting of queued) {
        if (waiting.closed || waiting.socket !== null) continue;
        Object.assign(waiting, { destroyed: true, _closed: true }).emit('close');
      }
    });
  }
  queued.add(res);
  res.once('close', () => queued.delete(res));
}

/** Marks a response as the last one of its connection. Later requests do not run. */
export function announceEnd(res: ServerResponse, connection: Connection | undefined): void {
  if (connection === undefined) return;
  connection.isEnding = true;
  connection.waiting.length = connection.waiting.findIndex((request) => request.res === res) + 1;
}

/** Records a request with `Expect: 100-continue`. */
export function expectContinue(req: IncomingMessage): void {
  const connection = connectionOf(req.socket);
  if (connection === undefined) return;
  connection.continues ??= new WeakSet();
  connection.continues.add(req);
}

/**
 * Sends `100 Continue` to a client that waits for it.
 *
 * @see RFC 9110 §10.1.1
 */
export function sendContinue(req: IncomingMessage, res: ServerResponse): void {
  if (connectionOf(req.socket)?.continues?.delete(req)) res.writeContinue();
}
