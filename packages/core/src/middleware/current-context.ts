import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context } from '../context.js';
import { describe } from '../description.js';
import type { Middleware } from '../pipeline.js';

/** A global symbol, so that `currentContext()` of one copy of core finds the context of another. */
const STORAGE = Symbol.for('@fairlead/core:current-context');

const shared = globalThis as { [STORAGE]?: AsyncLocalStorage<Context> };

shared[STORAGE] ??= new AsyncLocalStorage();

const storage = shared[STORAGE];

/**
 * Makes the request's context available to {@link currentContext} in all downstream code, including code
 * after an `await`. Costs one `AsyncLocalStorage.run` per request.
 */
export function shareContext(): Middleware {
  return describe<Middleware>(
    function shareContext(ctx, next) {
      return storage.run(ctx, next);
    },
    { role: 'middleware' },
  );
}

/** Returns the context of the current request; undefined outside {@link shareContext}. */
export function currentContext(): Context | undefined {
  return storage.getStore();
}
