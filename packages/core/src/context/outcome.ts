import { isReported } from '../errors/http-error.js';
import { failureOf, isComplete } from '../exchange/disconnection.js';
import type { Exchange, FinishListener, RequestOutcome } from '../exchange/exchange.js';
import { isPromiseLike } from '../promise.js';
import { recordSerializable } from '../response/record.js';
import { onClose } from '../server/connection.js';
import { refusalOf } from '../server/refusals.js';
import { closeUnanswered } from '../server/upgrade.js';

/** Calls a listener when a request has ended, and reports its errors. */
export function onOutcome<Ctx>(exchange: Exchange<Ctx>, ctx: Ctx, listener: FinishListener): void {
  const { res, listeners } = exchange;
  if (res.closed) finish(exchange, ctx, [listener]);
  else if (listeners !== undefined) listeners.push(listener);
  else {
    const all = [listener];
    exchange.listeners = all;
    onClose(res, () => finish(exchange, ctx, all));
  }
}

function finish<Ctx>(
  exchange: Exchange<Ctx>,
  ctx: Ctx,
  listeners: readonly FinishListener[],
): void {
  // Listeners may read `ctx.signal`, which aborts at the same time.
  abortIncomplete(exchange);
  const report = (error: unknown): void => exchange.errors.onError(error, ctx);
  const outcome = outcomeOf(exchange);
  for (const listener of listeners) {
    try {
      const result: unknown = listener(outcome);
      if (isPromiseLike(result)) Promise.resolve(result).catch(report);
    } catch (error) {
      report(error);
    }
  }
}

/** Describes how a request ended, once its response has closed. */
function outcomeOf<Ctx>(exchange: Exchange<Ctx>): RequestOutcome {
  const { res } = exchange;
  if (exchange.status === 101) {
    const { error } = exchange;
    return { status: 101, aborted: false, ...(error !== undefined && { error }) };
  }
  const refusal = refusalOf(res);
  if (refusal !== undefined) return { status: refusal, aborted: false };
  // A response without a socket was written, or its connection closed while it waited for earlier ones.
  const hadSocket = res.socket !== null || res.writableFinished;
  // `headersSent` is true as soon as the head is known. Node sends it with the first bytes of the body.
  const { _headerSent: isHeadSent } = res as { readonly _headerSent?: boolean };
  const failure = failureOf(exchange);
  const error = exchange.error ?? failure;
  const unsent = failure === undefined ? 499 : 500;
  const status = hadSocket && isHeadSent ? res.statusCode : unsent;
  const outcome = { status, aborted: !isComplete(exchange) };
  return error === undefined ? outcome : { ...outcome, error };
}

/** Returns the controller that aborts when the connection closes before the response is complete. */
export function controllerOf(exchange: Exchange): AbortController {
  const { res } = exchange;
  if (exchange.controller !== undefined) return exchange.controller;
  const controller = new AbortController();
  exchange.controller = controller;
  if (!res.destroyed) {
    onClose(res, () => abortIncomplete(exchange));
  } else if (!res.writableFinished) controller.abort();
  return controller;
}

/** Aborts the signal of a request, if it has been read, unless the response that has closed is complete. */
function abortIncomplete<Ctx>(exchange: Exchange<Ctx>): void {
  if (exchange.controller !== undefined && !isComplete(exchange)) exchange.controller.abort();
}

/** Same as `ctx.abort()`. */
export function abort<Ctx>(exchange: Exchange<Ctx>, ctx: Ctx, error: unknown): void {
  const { errors, res, phase } = exchange;
  const isResponse = !res.headersSent && phase === 'open';
  const sent = isResponse
    ? recordSerializable(exchange, ctx, error, { ...errors, includeStack: false })
    : undefined;
  exchange.phase = 'final';
  if (phase === 'upgraded') closeUnanswered(res);
  controllerOf(exchange).abort(error);
  const lost = phase === 'upgraded' ? error : sent;
  // Code that does not throw the error would lose it.
  if (lost !== undefined && isReported(lost)) errors.onError(lost, ctx);
}
