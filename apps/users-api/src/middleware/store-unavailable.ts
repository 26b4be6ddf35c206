import { type Middleware, ServiceUnavailableError } from '@fairlead/core';
import { StoreError } from '../users/store/store-error.js';

/** Seconds after which clients may retry. */
const RETRY_AFTER = 1;

/**
 * Turns a transient {@link StoreError} into a 503 with `Retry-After`. Register it directly after
 * `errorHandler`, which logs the error with its cause.
 *
 * @throws {ServiceUnavailableError} 503 with the code of the StoreError, which is its cause.
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
  if (!(error instanceof StoreError) || !error.isTransient) throw error;
  throw new ServiceUnavailableError(error.message, {
    code: error.code,
    retryAfter: RETRY_AFTER,
    cause: error,
  });
}
