import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Timeout = 'headersTimeout' | 'keepAliveTimeout' | 'requestTimeout' | 'writeTimeout';

/** Aborts its signal when a server starts closing. */
export class Shutdown extends AbortController {
  /** Whether it has aborted. Each response reads it, and the getter of a signal is much code. */
  hasBegun = false;

  override abort(): void {
    this.hasBegun = true;
    super.abort();
  }
}

/** The state of one connection. */
export class Connection {
  readonly socket: Socket;
  /** Value of the `Keep-Alive` header; undefined when idle connections have no timeout. */
  readonly keepAlive: string | undefined;
  /** Undefined for a connection in memory. */
  readonly closing: Shutdown | undefined;
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
  idleBytes: number | undefined = 0;
  /** What the last check found the connection waiting for, and when it began, in milliseconds. */
  #wait = '';
  #waitingSince = 0;

  constructor(socket: Socket, keepAlive: string | undefined, closing: Shutdown | undefined) {
    this.socket = socket;
    this.keepAlive = keepAlive;
    this.closing = closing;
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
    if (latest?.writableFinished && latest.req.complete) {
      this.latest = null;
      this.idleBytes = undefined;
    }
    if (this.latest !== null || this.isUpgraded) return [];
    this.idleBytes ??= socket.bytesRead;
    // Further bytes, such as empty lines, may never become a request head.
    const isIdle = socket.bytesRead === this.idleBytes;
    return [isIdle ? 'keepAliveTimeout' : 'headersTimeout', this.idleBytes];
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
export function track(socket: Socket, keepAlive?: string, closing?: Shutdown): void {
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
export function connectionOf(socket: Socket | null): Connection | undefined {
  return (socket as Tracked | null)?.[CONNECTION];
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
  const waits = connectionOf(req.socket)?.continues?.delete(req);
  // Express middleware may read the body after it has sent the head of the response.
  if (waits && !res.headersSent) res.writeContinue();
}

/** Maximum number of requests that run at a time on one connection. */
const MAX_RUNNING = 10;

/**
 * The number of waiting requests at which reading stops. Below it, reading continues, because only a read
 * reveals that the client has disconnected.
 */
const PAUSE_AT = 100;

/**
 * Creates a listener that runs requests, immediately or after earlier requests of their connection. It ignores a
 * request if a response has already announced the end of the connection.
 *
 * @see RFC 9112 §9.3.2 (pipelining), §9.6 (the end of a connection)
 */
export function admit(run: RequestListener): RequestListener {
  return (req, res) => {
    const connection = (req.socket as Tracked)[CONNECTION];
    if (connection === undefined) {
      run(req, res);
      return;
    }
    if (connection.isEnding) {
      connection.pause();
      return;
    }
    // Node.js reads nothing after such a request, but would keep the connection if the response has another
    // `Connection` header.
    if (!res.shouldKeepAlive) endAfter(res, req.socket);
    const { latest } = connection;
    connection.latest = res;
    res.on('close', close);
    if (connection.running === 0) {
      const isAlone = latest == null || latest.closed;
      // Most clients wait for each response. Nobody then needs to know when one has been sent.
      if (isAlone && !LEAVES_BODIES) {
        run(req, res);
        return;
      }
      if (!isAlone) count(latest, connection);
    }
    queue(connection, req, res, run);
  };
}

/**
 * Runs a pipelined request, or lets it wait for earlier ones. In `admit()`, the function within would make each request
 * allocate what it closes over.
 */
function queue(
  connection: Connection,
  req: IncomingMessage,
  res: ServerResponse,
  run: RequestListener,
): void {
  const start = (): void => {
    count(res, connection);
    run(req, res);
  };
  if (connection.running < MAX_RUNNING) {
    start();
    return;
  }
  // Another request starts it. Its asynchronous context may belong to that one's trace.
  connection.waiting.push({ res, run: AsyncResource.bind(start) });
  if (connection.waiting.length >= PAUSE_AT) connection.pause();
}

const CLOSE_CALLBACKS = Symbol('close callbacks');

type Closing = ServerResponse & { [CLOSE_CALLBACKS]?: (() => void)[] | undefined };

/**
 * Calls a function when a response closes. All functions of a response share one listener. Node
 * warns about more than ten listeners, and adds seven itself when it pipes a stream to the response.
 *
 * @param res - A response that has not closed.
 */
export function onClose(res: Closing, callback: () => void): void {
  if (res[CLOSE_CALLBACKS]?.push(callback) !== undefined) return;
  res[CLOSE_CALLBACKS] = [callback];
  // The last response of a tracked connection has the listener from the start.
  const connection = (res.req.socket as Tracked | null)?.[CONNECTION];
  if (connection?.latest !== res) res.on('close', close);
}

/** Runs when a response closes. All responses share it, because creating a listener for each would cost more. */
function close(this: Closing): void {
  const callbacks = this[CLOSE_CALLBACKS];
  if (callbacks !== undefined) {
    // An earlier response of its connection has the listener twice.
    this[CLOSE_CALLBACKS] = undefined;
    for (const call of callbacks) call();
  }
  const { req } = this;
  const connection = (req.socket as Tracked | null)?.[CONNECTION];
  if (connection?.latest !== this || !req.complete) return;
  connection.latest = null;
  connection.idleBytes = undefined;
}

/** Ends a connection when a response has been sent. */
function endAfter(res: ServerResponse, socket: Socket): void {
  res.once('finish', () => {
    // A connection in memory has no destroySoon().
    if (typeof socket.destroySoon === 'function') socket.destroySoon();
    else socket.end();
  });
}

/** Runs as many waiting requests as allowed. Resumes reading when none is left. */
function runWaiting(connection: Connection): void {
  const { socket, waiting } = connection;
  if (socket.destroyed) waiting.length = 0;
  while (connection.running < MAX_RUNNING && waiting.length > 0) waiting.shift()?.run();
  connection.resume();
}

/** Deno keeps a body that nobody reads, and then never reads the next request. Node has discarded it. */
const LEAVES_BODIES = 'deno' in process.versions;

/** Counts a response as running until it closes. */
function count(res: ServerResponse, connection: Connection): void {
  connection.running += 1;
  res.on('close', () => {
    const { req } = res;
    const isUnread = !req.complete && req.readableFlowing === null;
    if (res.writableFinished && isUnread) req.resume();
    connection.running -= 1;
    if (connection.waiting.length > 0) runWaiting(connection);
  });
}
