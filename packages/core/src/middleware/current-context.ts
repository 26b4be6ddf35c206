import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context } from '../context/context.js';
import type { Middleware } from '../pipeline/middleware.js';

const storage = new AsyncLocalStorage<Context>();

/**
 * Makes the context of each request known to {@link currentContext} in everything that runs below this
 * middleware, also after an `await`. Costs one `AsyncLocalStorage.run` for each request.
 */
export function shareContext(): Middleware {
  return function shareContext(ctx, next) {
    return storage.run(ctx, next);
  };
}

/** The context of the request that the caller works for; undefined outside of {@link shareContext}. */
export function currentContext(): Context | undefined {
  return storage.getStore();
}
