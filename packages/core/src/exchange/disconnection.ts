import { Readable } from 'node:stream';
import { type Exchange, socketOf } from './exchange.js';

/**
 * Whether the client has disconnected, and an error only reports this: the error of the request, of its connection, of
 * a pipeline to the response, or of an operation that `ctx.signal` has aborted.
 */
export function isOfClient(error: unknown, exchange: Exchange): boolean {
  const { req, res } = exchange;
  if (!res.destroyed || !(error instanceof Error)) return false;
  return error === req.errored || isOfConnection(error, exchange) || isOfAbort(error, exchange);
}

/** Whether an error only reports that the client has reset its connection. */
function isOfConnection(error: NodeJS.ErrnoException, exchange: Exchange): boolean {
  if (error.code !== 'ECONNRESET' || error !== socketOf(exchange)?.errored) return false;
  // `res.destroy()` destroys the connection with an error of the application.
  return error !== exchange.res.errored;
}

/** Whether an error only reports that `ctx.signal` or a pipeline has aborted an operation or a stream. */
export function isOfAbort(error: unknown, { controller }: Exchange): boolean {
  if (!(error instanceof Error)) return false;
  const { name, code, cause, message }: NodeJS.ErrnoException = error;
  if (name === 'AbortError' || code === 'ERR_STREAM_PREMATURE_CLOSE') return true;
  if (controller?.signal.aborted !== true) return false;
  const { reason } = controller.signal;
  // A response of node:http whose request is aborted fails so, as one does whose server ends it early.
  const isOfResponse = code === 'ECONNRESET' && message === 'aborted';
  return isOfResponse || error === reason || cause === reason;
}

/** Whether a closed response was written in full. */
export function isComplete(exchange: Pick<Exchange, 'req' | 'res' | 'connection'>): boolean {
  // Before Node 24, a response also counts as written when its connection was destroyed before.
  return exchange.res.writableFinished && !socketOf(exchange)?.destroyed;
}

/**
 * Returns the error that destroyed a response, unless its client left: Node.js then destroys it with ECONNRESET or
 * without an error.
 */
export function failureOf({ body, res }: Exchange): Error | undefined {
  // `res.destroy()` without an error leaves it undefined.
  const { errored }: { readonly errored?: NodeJS.ErrnoException | null } = res;
  if (!errored) return undefined;
  const isOfBody = body instanceof Readable && body.errored === errored;
  return isOfBody || errored.code !== 'ECONNRESET' ? errored : undefined;
}
