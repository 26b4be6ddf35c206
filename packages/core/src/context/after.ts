import { isPromiseLike, type Next } from './next.js';

/**
 * Runs what comes after a middleware, then something that depends on how it went; makes a promise
 * only when something below did.
 *
 * @param next - Of the middleware.
 * @param done - Called when what comes after has ended well.
 * @param failed - Called with what it has thrown, which is then thrown on.
 */
export function after(
  next: Next,
  done: () => void,
  failed: (error: unknown) => void = () => undefined,
): void | Promise<void> {
  const fail = (error: unknown): never => {
    failed(error);
    throw error;
  };
  let result: void | Promise<void>;
  try {
    result = next();
  } catch (error) {
    return fail(error);
  }
  if (isPromiseLike(result)) return Promise.resolve(result).then(done, fail);
  done();
}
