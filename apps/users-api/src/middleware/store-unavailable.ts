import { HttpError, type Middleware } from '@fairlead/core';
import { StoreError } from '../users/store/store-error.js';

/** Seconds after which a client may try again. */
const RETRY_AFTER = '1';

/**
 * Tells clients to try again where the store fails for a reason that may pass: it is busy, locked,
 * full or away. Stands just below `errorHandler`, which logs the error with its cause.
 *
 * @throws {HttpError} 503, with `Retry-After` and the store's code, caused by the {@link StoreError}.
 * @see RFC 9110 §10.2.3, §15.6.4
 */
export const storeUnavailable: Middleware = (_ctx, next) => {
  try {
    return next()?.catch(rethrow);
  } catch (error) {
    rethrow(error);
  }
};

function rethrow(error: unknown): never {
  if (!(error instanceof StoreError) || !error.mayPass) throw error;
  throw new HttpError(503, error.message, {
    code: error.code,
    headers: { 'Retry-After': RETRY_AFTER },
    cause: error,
  });
}
