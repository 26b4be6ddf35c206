import { isOfAbort, isOfClient } from '../exchange/disconnection.js';
import type { Exchange } from '../exchange/exchange.js';

/**
 * Reports an error of a stream.
 *
 * @param mayBeOfClient - Whether to ignore an error that only says that the client has disconnected. Default: true.
 */
type Report = (error: unknown, mayBeOfClient?: boolean) => void;

/** By response: the failures of streams that it does not, or no longer, send; or what reports them. */
const failures = new WeakMap<Exchange, unknown[] | Report>();

/** Lets the writer of a response report the failures of a stream that the response does not send. */
export function markUnsent(exchange: Exchange): void {
  if (!failures.has(exchange)) failures.set(exchange, []);
  exchange.isSpecial = true;
}

/** Whether a response has had streams that it does not send. */
export function hasUnsent(exchange: Exchange): boolean {
  return exchange.isSpecial && failures.has(exchange);
}

/** Records the failure of a stream that a response does not, or no longer, send. */
export function noteFailure(exchange: Exchange, error: unknown): void {
  if (isOfAbort(error, exchange)) return;
  const noted = failures.get(exchange);
  if (typeof noted === 'function') noted(error);
  else if (noted !== undefined) noted.push(error);
  else failures.set(exchange, [error]);
}

/** Returns the failures that nothing has reported. */
export function takeFailures(exchange: Exchange): readonly unknown[] {
  const noted = failures.get(exchange);
  return Array.isArray(noted) ? noted.splice(0) : [];
}

/**
 * Reports each failure of the streams of a response once, also those after the client has disconnected, but none that
 * only says so, and not the error that is the response.
 *
 * @returns What reports further errors.
 */
export function startReports<Ctx>(exchange: Exchange<Ctx>, ctx: Ctx): Report {
  const noted = failures.get(exchange);
  if (typeof noted === 'function') return noted;
  const reported = new Set<unknown>();
  const report: Report = (error, mayBeOfClient = true) => {
    const isOfResponse = error !== undefined && error === exchange.error;
    if (isOfResponse || reported.has(error) || (mayBeOfClient && isOfClient(error, exchange)))
      return;
    reported.add(error);
    exchange.errors.onError(error, ctx);
  };
  failures.set(exchange, report);
  for (const error of noted ?? []) report(error);
  return report;
}
