import type { IncomingMessage } from 'node:http';
import { type Context, InternalServerError } from '@fairlead/core';
import { descriptionOf, isBodyRead } from '@fairlead/core/extend';

/** The members of a request that parsers of Express set. */
export interface ParsedRequest extends IncomingMessage {
  /** Whether a body parser has read the body. */
  _body?: boolean;
  upgrade?: boolean;
}

/** Lets the parsers before Express middleware keep what they read, so that the middleware can read it again. */
export function keepBodies(before: readonly object[]): void {
  for (const one of before) descriptionOf(one)?.reads?.keepBytes?.();
}

/** The requests whose body was read by something else than a parser of Express. */
const read = new WeakSet<IncomingMessage>();

/** The requests whose `req.body` a parser of Express has set. */
const parsed = new WeakSet<IncomingMessage>();

/** Remembers that middleware has set `req.body`, so that this is Express's business if the body was read, too. */
export function noteBody(req: IncomingMessage): void {
  if (!read.has(req)) parsed.add(req);
}

/**
 * Prepares the body for middleware, which may read it. Provides the bytes that a parser has kept. Fails as soon as the
 * middleware reads a body whose bytes are gone, because it would wait for them forever. Asks the client for a body that
 * it sends only on request.
 *
 * @param refuse - Called with the error, at most once.
 */
export function prepareBody(ctx: Context, refuse: (error: Error) => void): void {
  const { req, rawBody }: { readonly req: ParsedRequest; readonly rawBody?: Buffer | undefined } =
    ctx;
  if (!isBodyRead(ctx)) {
    if (req.headers.expect !== undefined && ctx.hasBody) beforeRead(req, () => ctx.bodyStream());
    return;
  }
  if (!parsed.has(req)) read.add(req);
  if (!read.has(req)) return;
  // Tells parsers of Express 4 that the body was read. Those of Express 5 ask on-finished, which takes the request of
  // an upgrade for finished.
  req._body ??= true;
  req.upgrade = true;
  if (rawBody === undefined || (req.readableDidRead && !req.readableEnded)) {
    beforeRead(req, () => refuse(alreadyRead(ctx)));
  } else if (req.readableEnded) provide(req, rawBody);
}

function alreadyRead({ method, path }: Context): Error {
  return new InternalServerError(
    `Express middleware reads the body of ${method} ${path}, which has already been read. Register the middleware before the parser, leave the body to it with the parser's option skip, or let json() or another parser keep the bytes, with rawBody: true.`,
    { code: 'BODY_ALREADY_READ' },
  );
}

/** Calls a function before anything reads a request, at most once. */
function beforeRead(req: IncomingMessage, call: () => void): void {
  // All other ways to read call one of these. Own properties, because an Express application replaces the prototype.
  const names = ['on', 'addListener', 'prependListener'] as const;
  for (const name of names) {
    const value = (event: string, listener: () => void): IncomingMessage => {
      const isRead = event === 'data' || event === 'readable';
      if (isRead) for (const other of names) Reflect.deleteProperty(req, other);
      if (isRead) call();
      return Object.getPrototypeOf(req)[name].call(req, event, listener);
    };
    Object.defineProperty(req, name, { value, configurable: true, writable: true });
  }
}

/** What Node.js has set when a request was read to its end, and what it was before. */
const UNREAD = {
  ...{ ended: false, endEmitted: false, destroyed: false, closed: false, closeEmitted: false },
  ...{ dataEmitted: false, emittedReadable: false, readableListening: false, reading: false },
  ...{ resumeScheduled: false, flowing: null, decoder: null, encoding: null },
};

/** Lets a request that was read to its end be read again. */
function provide(req: IncomingMessage & { readonly _readableState?: object }, bytes: Buffer): void {
  // Their work is done.
  for (const event of ['data', 'readable', 'end']) req.removeAllListeners(event);
  Object.assign(req._readableState ?? {}, UNREAD);
  const { headers } = req;
  if (headers['content-encoding'] !== undefined) {
    // They describe the bytes before they were decoded.
    delete headers['content-encoding'];
    if (headers['content-length']) headers['content-length'] = String(bytes.length);
  }
  if (bytes.length > 0) req.push(bytes);
  req.push(null);
}
