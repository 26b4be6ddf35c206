/**
 * Runs the rest of the pipeline. Returns a promise only when something downstream does, so always await or
 * return the result.
 */
export type Next = () => void | Promise<void>;

/** Whether a value must be awaited. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

/**
 * Runs the rest of the pipeline, then a callback: immediately after a synchronous `next`, otherwise when its
 * promise settles.
 *
 * @param done - Called when `next` succeeds.
 * @param failed - Called with the error when `next` fails. The error is then rethrown.
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
  if (!isPromiseLike(result)) return done();
  if (result instanceof ObservedPromise) return result.use.observe(result.then(done, fail));
  return Promise.resolve(result).then(done, fail);
}

/** Finds out whether a middleware uses the promise of its `next`: awaits it, or calls a method of it. */
export class PromiseUse {
  readonly #onLost: (error: unknown) => void;
  #promise: PromiseLike<unknown> | undefined = undefined;
  #observed: ObservedPromise | undefined = undefined;
  #isUsed = false;

  /** @param onLost - Called when the promise rejects before it is used. */
  constructor(onLost: (error: unknown) => void) {
    this.#onLost = onLost;
  }

  /** Whether there is a promise, and nothing has used it. */
  get isFloating(): boolean {
    return this.#observed !== undefined && !this.#isUsed;
  }

  /** Returns a promise to observe, which settles with another one. It replaces the one before. */
  observe(promise: PromiseLike<unknown>): ObservedPromise {
    this.#isUsed = false;
    this.#promise = promise;
    this.#observed = new ObservedPromise(promise, this);
    return this.#observed;
  }

  /** Returns the promise behind the observed one, which then counts as used, or another value as is. */
  release(value: unknown): unknown {
    if (value === undefined || value !== this.#observed) return value;
    this.#isUsed = true;
    return this.#promise;
  }

  /** Called when the promise is used. */
  mark(): void {
    this.#isUsed = true;
  }

  /** Called when the promise rejects. Like Node.js, waits for code that is about to use the promise. */
  lose(error: unknown): void {
    if (this.#isUsed) return;
    setImmediate(() => {
      if (this.#isUsed) return;
      this.#isUsed = true;
      this.#onLost(error);
    });
  }
}

/** A promise that reports its use. */
export class ObservedPromise extends Promise<undefined> {
  readonly use: PromiseUse;

  /** Makes `then` return a plain promise. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** @param promise - Settles the new one. */
  constructor(promise: PromiseLike<unknown>, use: PromiseUse) {
    super((resolve) => resolve(Promise.resolve(promise).then(() => undefined)));
    this.use = use;
    super.then(undefined, (error) => use.lose(error));
  }

  // biome-ignore lint/suspicious/noThenProperty: `await` and the other methods call it.
  override then<A = undefined, B = never>(
    onFulfilled?: ((value: undefined) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.use.mark();
    return super.then(onFulfilled, onRejected);
  }
}
