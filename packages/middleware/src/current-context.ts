import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context, Middleware } from '@fairlead/core';
import { describe, describeFactories } from '@fairlead/core/extend';
import { named } from '@fairlead/options';

/** A global symbol, so that `currentContext()` of one copy of the package finds the context of another. */
const STORAGE = Symbol.for('@fairlead/middleware:current-context');

const shared = globalThis as { [STORAGE]?: AsyncLocalStorage<Context> };

shared[STORAGE] ??= new AsyncLocalStorage();

const storage = shared[STORAGE];

/**
 * Makes the request's context available to {@link currentContext} in all downstream code, including code
 * after an `await`. Costs one `AsyncLocalStorage.run` per request.
 */
export function shareContext(): Middleware {
  return describe<Middleware>(
    named('shareContext', (ctx, next) => {
      return storage.run(ctx, next);
    }),
    { role: 'middleware' },
  );
}

describeFactories(shareContext);

/** Returns the context of the current request; undefined outside {@link shareContext}. */
export function currentContext(): Context | undefined {
  return storage.getStore();
}
