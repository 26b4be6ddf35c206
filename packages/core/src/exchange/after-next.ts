import { isPromiseLike } from '../promise.js';

/**
 * Runs the rest of the pipeline. Returns a promise only when something downstream does, so always await or
 * return the result.
 */
export type Next = () => void | Promise<void>;

/**
 * Runs the rest of the pipeline, then a callback: immediately after a synchronous `next`, otherwise when its
 * promise settles. Use it in middleware that acts after `next()` and passes on whether its user awaits it.
 *
 * @param done - Called when `next` succeeds.
 * @param failed - Called with the error when `next` fails. The error is then rethrown.
 */
export function after(
  next: Next,
  done: () => void | Promise<void>,
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
  if (!isPromiseLike(result)) return done();
  if (result instanceof ObservedPromise) return result.observe(result.then(done, fail));
  return Promise.resolve(result).then(done, fail);
}

/** The promise of a `next` that reports its use: that it is awaited, or that a method of it is called. */
export class ObservedPromise extends Promise<undefined> {
  isUsed = false;
  readonly observe: (promise: PromiseLike<unknown>) => ObservedPromise;

  /** The class of the promises that `then` returns. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /**
   * @param source - Settles the new promise.
   * @param observe - Observes another promise in place of this one.
   * @param onLost - Called when the promise rejects before it is used.
   */
  constructor(
    source: PromiseLike<unknown>,
    observe: (promise: PromiseLike<unknown>) => ObservedPromise,
    onLost: (error: unknown) => void,
  ) {
    super((resolve) => resolve(Promise.resolve(source).then(() => undefined)));
    this.observe = observe;
    const lose = (error: unknown): void => {
      if (this.isUsed) return;
      this.isUsed = true;
      onLost(error);
    };
    // Like Node.js, waits for code that is about to use the promise.
    super.then(undefined, (error) => setImmediate(lose, error));
  }

  // biome-ignore lint/suspicious/noThenProperty: `await` and the other methods call it.
  override then<A = undefined, B = never>(
    onFulfilled?: ((value: undefined) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.isUsed = true;
    return super.then(onFulfilled, onRejected);
  }
}
