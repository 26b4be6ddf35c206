import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const LATEST = Symbol('latest response');
const ENDING = Symbol('ending');
const DRAINING = Symbol('draining');
const CONNECTION = Symbol('connection');

type Connection = Socket & {
  /** Null once it has been let go of. */
  [LATEST]?: ServerResponse | null;
  [ENDING]?: true;
  [DRAINING]?: true;
};

/** A response that knows its connection: `req.socket` is null once a handler has left its body. */
type Tracked = ServerResponse & { [CONNECTION]?: Connection };

/**
 * Remembers the response to the request that came last on a connection, until the one has been sent
 * and the other read to its end: what a connection holds between two requests survives collections.
 */
export function setLatest(res: ServerResponse, socket: Socket): void {
  (res as Tracked)[CONNECTION] = socket;
  (socket as Connection)[LATEST] = res;
  res.on('close', letGo);
}

function letGo(this: ServerResponse): void {
  const connection = (this as Tracked)[CONNECTION];
  if (connection?.[LATEST] === this && this.req.complete) connection[LATEST] = null;
}

/** The response that a connection is working on, or whose request it has not read to its end. */
export function latestOf(socket: Socket): ServerResponse | undefined {
  return (socket as Connection)[LATEST] ?? undefined;
}

/** Whether a request has come on a connection. */
export function hasServed(socket: Socket): boolean {
  return (socket as Connection)[LATEST] !== undefined;
}

/** Whether no request has come behind the one that a response answers, as far as is known. */
function isLatest(res: ServerResponse): boolean {
  const latest = (res as Tracked)[CONNECTION]?.[LATEST] ?? res;
  return latest === res;
}

/** Remembers that a response announces the end of its connection. */
export function announceEnd(res: ServerResponse): void {
  const connection = (res as Tracked)[CONNECTION];
  if (connection !== undefined) connection[ENDING] = true;
}

/**
 * Whether the end of a connection was announced: what comes on it after that is not looked at.
 *
 * @see RFC 9112 §9.6
 */
export function isEnding(socket: Socket): boolean {
  return (socket as Connection)[ENDING] === true;
}

/** Makes the last response on a connection announce its end from now on. */
export function drain(socket: Socket): void {
  (socket as Connection)[DRAINING] = true;
}

/** Whether a response is the one that ends a connection which is being drained. */
export function endsDrain(res: ServerResponse): boolean {
  return (res as Tracked)[CONNECTION]?.[DRAINING] === true && isLatest(res);
}

/** Whether a connection is working on a request, or has bytes to send. */
export function isBusy(socket: Socket): boolean {
  const latest = latestOf(socket);
  return socket.writableLength > 0 || (latest !== undefined && !latest.writableFinished);
}
