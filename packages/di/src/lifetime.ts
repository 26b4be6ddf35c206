import { AsyncDisposalError, DisposedError } from './errors/lifecycle-errors.js';
import type { Token } from './token.js';

/** The instances that one container or request scope made, in the order of creation. */
export class Lifetime {
  readonly #created = new Map<object, Token>();
  readonly #pending = new Set<Promise<unknown>>();
  #disposal: Promise<void> | undefined;

  get disposed(): boolean {
    return this.#disposal !== undefined;
  }

  /** @throws {DisposedError} When disposal has begun. */
  assertOpen(token: Token): void {
    if (this.disposed) throw new DisposedError(token);
  }

  /** Remembers an instance, if it is one that can be disposed. */
  track(token: Token, instance: unknown): void {
    if (isDisposable(instance) && !this.#created.has(instance)) this.#created.set(instance, token);
  }

  /** Remembers a build that has not settled: disposal waits for it. */
  await(build: Promise<unknown>): void {
    const forget = () => this.#pending.delete(build);
    this.#pending.add(build);
    build.then(forget, forget);
  }

  /**
   * Disposes every instance, the newest first; a second call waits for the first.
   *
   * @throws {AggregateError} After all were attempted, when any failed.
   */
  dispose(): Promise<void> {
    this.#disposal ??= this.#disposeAll();
    return this.#disposal;
  }

  /**
   * Does the same without waiting.
   *
   * @throws {AsyncDisposalError} Before anything is disposed, when an instance or a running
   *   build can only be awaited.
   * @throws {AggregateError} After all were attempted, when any failed.
   */
  disposeSync(): void {
    if (this.disposed) return;
    const instances = [...this.#created].reverse();
    const waiting = instances.find(([instance]) => !(Symbol.dispose in instance));
    if (waiting !== undefined) throw new AsyncDisposalError(waiting[1]);
    if (this.#pending.size > 0) throw new AsyncDisposalError('an unsettled build');
    this.#disposal = Promise.resolve();
    this.#created.clear();
    const errors: unknown[] = [];
    for (const [instance] of instances) {
      try {
        (instance as Disposable)[Symbol.dispose]();
      } catch (error) {
        errors.push(error);
      }
    }
    throwAll(errors);
  }

  async #disposeAll(): Promise<void> {
    await Promise.allSettled(this.#pending);
    const instances = [...this.#created.keys()].reverse();
    this.#created.clear();
    const errors: unknown[] = [];
    for (const instance of instances) {
      try {
        await disposeOne(instance);
      } catch (error) {
        errors.push(error);
      }
    }
    throwAll(errors);
  }
}

function isDisposable(value: unknown): value is object {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isObject && (Symbol.dispose in value || Symbol.asyncDispose in value);
}

async function disposeOne(instance: object): Promise<void> {
  if (Symbol.asyncDispose in instance) {
    await (instance as AsyncDisposable)[Symbol.asyncDispose]();
  } else {
    (instance as Disposable)[Symbol.dispose]();
  }
}

function throwAll(errors: readonly unknown[]): void {
  if (errors.length > 0) {
    throw new AggregateError(errors, `${errors.length} instance(s) failed to dispose; see errors.`);
  }
}
