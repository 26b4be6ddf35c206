import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Maximum number of requests that run at a time on one connection. */
const MAX_RUNNING = 10;

/**
 * The number of waiting requests at which reading stops. Below it, reading continues, because only a read
 * reveals that the client has disconnected.
 */
const PAUSE_AT = 100;

/** A pipelined request that waits for earlier ones. */
interface WaitingRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly run: RequestListener;
}

/** The state of one connection. */
export class Connection {
  readonly socket: Socket;
  /** Value of the `Keep-Alive` header; undefined when idle connections have no timeout. */
  readonly keepAlive: string | undefined;
  /** Aborts when the server starts closing. Undefined for a connection in memory. */
  readonly closing: AbortSignal | undefined;
  /**
   * The response to the last request. Null once a check has found that it has been sent and its request read
   * completely, so that an idle connection retains nothing. Undefined before the first request.
   */
  latest: ServerResponse | null | undefined = undefined;
  /** The requests whose clients wait for `100 Continue`; undefined before the first one. */
  continues: WeakSet<IncomingMessage> | undefined = undefined;
  /** Whether a response has announced the end of the connection. */
  isEnding = false;
  /** Whether the connection has left HTTP. Its pending bytes still have a timeout. */
  isUpgraded = false;
  /** Whether the server is closing, so the last response announces the end of the connection. */
  isDraining = false;
  /** Number of pipelined requests whose response has not been sent completely. */
  running = 0;
  /** Requests that have arrived but are not running yet. */
  readonly waiting: WaitingRequest[] = [];
  /** Whether reading is paused because requests wait. */
  isPaused = false;
  /** When a check first found the connection idle, in milliseconds. Each request resets it. */
  idleSince: number | undefined = undefined;
  /** Bytes read at the time of `idleSince`. */
  #idleBytes = 0;
  /** When a check first found bytes of an incomplete request head, in milliseconds. */
  #headSince: number | undefined = undefined;
  /** Bytes accepted by the operating system; undefined when none are pending. */
  #bytesAccepted: number | undefined = undefined;
  #stalledSince = 0;
  /** Number of waiting requests when a check last saw it change; undefined while reading. */
  #waitingSeen: number | undefined = undefined;
  #stuckSince = 0;

  constructor(socket: Socket, keepAlive: string | undefined, closing: AbortSignal | undefined) {
    this.socket = socket;
    this.keepAlive = keepAlive;
    this.closing = closing;
  }

  /** Stops reading. Node resumes the socket after each request; see {@link keepPaused}. */
  pause(): void {
    this.isPaused = true;
    this.socket.pause();
  }

  /** Runs as many waiting requests as allowed. Resumes reading when none is left. */
  runWaiting(): void {
    if (this.socket.destroyed) this.waiting.length = 0;
    while (this.running < MAX_RUNNING) {
      const next = this.waiting.shift();
      if (next === undefined) break;
      count(next.res, this);
      next.run(next.req, next.res);
    }
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
   * Whether bytes are pending and the client has accepted none of them for `timeout` milliseconds.
   *
   * @param now - Milliseconds on a monotonic clock.
   * @param timeout - 0 sets no limit.
   */
  isStalled(now: number, timeout: number): boolean {
    if (timeout === 0 || this.socket.writableLength === 0) {
      this.#bytesAccepted = undefined;
      return false;
    }
    const accepted = bytesAcceptedFrom(this.socket);
    if (accepted !== this.#bytesAccepted) {
      this.#bytesAccepted = accepted;
      this.#stalledSince = now;
    }
    return now - this.#stalledSince >= timeout;
  }

  /**
   * Whether reading is paused and no request has finished for `timeout` milliseconds. The client may
   * have disconnected, which a paused connection does not notice.
   *
   * @param now - Milliseconds on a monotonic clock.
   * @param timeout - 0 sets no limit.
   */
  isStuck(now: number, timeout: number): boolean {
    if (timeout === 0 || !this.isPaused) {
      this.#waitingSeen = undefined;
      return false;
    }
    if (this.waiting.length !== this.#waitingSeen) {
      this.#waitingSeen = this.waiting.length;
      this.#stuckSince = now;
    }
    return now - this.#stuckSince >= timeout;
  }

  /**
   * Whether the connection has waited too long for its next request: `'idle'` when no bytes have
   * arrived, `'late'` when bytes such as empty lines have arrived but no complete request head.
   *
   * @param now - Milliseconds on a monotonic clock.
   * @param timeout - Milliseconds without a byte; 0 sets no limit.
   * @param headTimeout - Milliseconds from the first byte until the request head is complete.
   */
  idleness(now: number, timeout: number, headTimeout: number): 'idle' | 'late' | undefined {
    if (this.isUpgraded) return undefined;
    // A response may end before the body of its request. Until then, the request has its own timeout.
    if (this.latest?.writableFinished && this.latest.req.complete) this.latest = null;
    if (timeout === 0 || this.latest !== null || this.socket.writableLength > 0) return undefined;
    const { bytesRead } = this.socket;
    if (this.idleSince === undefined) {
      this.idleSince = now;
      this.#idleBytes = bytesRead;
      this.#headSince = undefined;
    } else if (bytesRead !== this.#idleBytes) {
      this.#headSince ??= now;
      if (now - this.#headSince >= headTimeout) return 'late';
    } else if (now - this.idleSince >= timeout) return 'idle';
    return undefined;
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

/** Where a socket and its responses have their {@link Connection}. */
export const CONNECTION: unique symbol = Symbol('connection');

/** A socket or a response, which is tracked if it has a connection. */
export type Tracked = { [CONNECTION]?: Connection };

/**
 * Starts tracking a connection, unless it is tracked already.
 *
 * @param keepAliveTimeout - Milliseconds that responses announce; 0 announces nothing.
 * @param closing - Aborts when the server starts closing.
 */
export function track(
  socket: Socket,
  keepAliveTimeout: number,
  closing: AbortSignal | undefined,
): void {
  if (connectionOf(socket) !== undefined) return;
  const keepAlive =
    keepAliveTimeout > 0 ? `timeout=${Math.floor(keepAliveTimeout / 1_000)}` : undefined;
  (socket as Tracked)[CONNECTION] = new Connection(socket, keepAlive, closing);
  socket.on('resume', keepPaused);
}

function keepPaused(this: Socket): void {
  if (connectionOf(this)?.isPaused) this.pause();
}

/**
 * Stops tracking a connection that belongs to a listener for `upgrade` or `connect`, such as that of a
 * WebSocket library. It then has no timeouts.
 */
export function releaseUpgraded(socket: Socket): void {
  socket.off('resume', keepPaused);
  delete (socket as Tracked)[CONNECTION];
}

/** Stops tracking the connections that listeners for `connect` receive. */
export function releaseTunnels(server: Server): void {
  const release = ({ socket }: IncomingMessage): void => releaseUpgraded(socket);
  // Without a listener, Node.js closes the connection. Listen only while others do.
  server.on('newListener', (name, listener) => {
    if (name === 'connect' && listener !== release && server.listenerCount(name) === 0) {
      server.on(name, release);
    }
  });
  server.on('removeListener', (name) => {
    if (name === 'connect' && server.listenerCount(name) === 1) server.off(name, release);
  });
}

/** Returns the connection of a socket, or undefined when the socket is not tracked. */
export function connectionOf(socket: Socket): Connection | undefined {
  return (socket as Tracked)[CONNECTION];
}

/**
 * Runs a request, immediately or after earlier requests of its connection. Ignores the request if a response
 * has already announced the end of the connection.
 *
 * @param run - Handles the request.
 * @see RFC 9112 §9.3.2 (pipelining), §9.6 (the end of a connection)
 */
export function admit(req: IncomingMessage, res: ServerResponse, run: RequestListener): void {
  const connection = (req.socket as Tracked)[CONNECTION];
  if (connection === undefined) {
    run(req, res);
    return;
  }
  if (connection.isEnding) {
    connection.pause();
    return;
  }
  (res as Tracked)[CONNECTION] = connection;
  const { latest } = connection;
  connection.latest = res;
  connection.idleSince = undefined;
  if (connection.running === 0) {
    const isAlone = latest == null || latest.closed;
    // Most clients wait for each response. Nobody then needs to know when one has been sent.
    if (isAlone && !LEAVES_BODIES) {
      run(req, res);
      return;
    }
    if (!isAlone) count(latest, connection);
  }
  if (connection.running < MAX_RUNNING) {
    count(res, connection);
    run(req, res);
    return;
  }
  // Another request runs it. Its asynchronous context may belong to that one's trace.
  connection.waiting.push({ req, res, run: AsyncResource.bind(run) });
  if (connection.waiting.length >= PAUSE_AT) connection.pause();
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
    if (connection.waiting.length > 0) connection.runWaiting();
  });
}

const RESPONSE = Symbol('response');

/**
 * A request without a body, whose stream has ended and closed before its listeners were added. Node.js
 * creates it with the option `optimizeEmptyRequests` since version 24, and emits none of its events.
 */
type SilentRequest = IncomingMessage & { [RESPONSE]: ServerResponse };

type Listener = (...args: never[]) => void;

/** Silent requests that have a listener for 'close' or 'aborted'. */
const announced = new WeakSet<IncomingMessage>();

/**
 * Makes a silent request emit events.
 *
 * @param req - A request that was closed when it arrived.
 */
export function announce(req: IncomingMessage, res: ServerResponse): void {
  const silent = req as SilentRequest;
  silent[RESPONSE] = res;
  silent.on = addListener;
  silent.addListener = addListener;
}

/**
 * Adds a listener to a silent request. Calls it for 'end' in the next tick. Emits 'close' and 'aborted' when
 * the response closes, as for a request whose body was not read.
 *
 * It is an own property of the request, because an Express application replaces the prototype.
 */
function addListener(this: SilentRequest, event: string | symbol, listener: Listener) {
  Object.getPrototypeOf(this).on.call(this, event, listener);
  if (event === 'end') {
    process.nextTick(() => {
      if (this.rawListeners(event).includes(listener)) listener.call(this);
    });
  } else if ((event === 'close' || event === 'aborted') && !announced.has(this)) {
    announced.add(this);
    onClose(this[RESPONSE], () => announceClose(this));
  }
  return this;
}

function announceClose(req: SilentRequest): void {
  if (!req[RESPONSE].writableFinished) {
    req.aborted = true;
    req.emit('aborted');
  }
  req.emit('close');
}

const CLOSE_CALLBACKS = Symbol('close callbacks');

type Closable = { [CLOSE_CALLBACKS]?: (() => void)[] };

/**
 * Calls a function when a response closes. All functions of a response share one listener. Node
 * warns about more than ten listeners, and adds seven itself when it pipes a stream to the response.
 *
 * @param res - A response that has not closed.
 */
export function onClose(res: ServerResponse, callback: () => void): void {
  const closable = res as Closable;
  if (closable[CLOSE_CALLBACKS] === undefined) {
    closable[CLOSE_CALLBACKS] = [];
    res.once('close', runCallbacks);
  }
  closable[CLOSE_CALLBACKS].push(callback);
}

function runCallbacks(this: ServerResponse): void {
  for (const callback of (this as Closable)[CLOSE_CALLBACKS] ?? []) callback();
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
export function announceEnd(res: ServerResponse): void {
  const connection = (res as Tracked)[CONNECTION];
  if (connection === undefined) return;
  connection.isEnding = true;
  const { waiting } = connection;
  waiting.length = waiting.findIndex((request) => request.res === res) + 1;
}

/** Starts draining a connection: its last response announces that the connection ends. */
export function drain(socket: Socket): void {
  const connection = connectionOf(socket);
  if (connection !== undefined) connection.isDraining = true;
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
