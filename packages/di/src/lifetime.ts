import { AsyncDisposalError, DisposedError } from './errors/lifecycle-errors.js';
import type { Token } from './token.js';

/** Tracks the instances that one container or request scope created, and disposes them. */
export class Lifetime {
  readonly #created = new Map<object, Token>();
  readonly #pending = new Map<Promise<unknown>, Token>();
  #disposal: Promise<void> | undefined;

  get disposed(): boolean {
    return this.#disposal !== undefined;
  }

  /** @throws {DisposedError} When disposal has begun. */
  assertOpen(token: Token): void {
    if (this.disposed) throw new DisposedError(token);
  }

  /** Records an instance for disposal if it is disposable. */
  track(token: Token, instance: unknown): void {
    if (isDisposable(instance) && !this.#created.has(instance)) this.#created.set(instance, token);
  }

  /** Makes disposal wait for a build that has not settled. */
  await(token: Token, build: Promise<unknown>): void {
    const forget = () => this.#pending.delete(build);
    this.#pending.set(build, token);
    build.then(forget, forget);
  }

  /**
   * Disposes every instance, newest first. Later calls return the promise of the first.
   *
   * @throws {AggregateError} When some instances fail to dispose, after trying all of them.
   */
  dispose(): Promise<void> {
    this.#disposal ??= this.#disposeAll();
    return this.#disposal;
  }

  /**
   * Disposes every instance synchronously, newest first.
   *
   * @throws {AsyncDisposalError} When an instance has only `Symbol.asyncDispose` or a build is
   *   running. In that case, nothing is disposed.
   * @throws {AggregateError} When some instances fail to dispose, after trying all of them.
   */
  disposeSync(): void {
    if (this.disposed) return;
    const instances = [...this.#created].reverse();
    const asynchronous = instances.find(([instance]) => !(Symbol.dispose in instance));
    if (asynchronous !== undefined) throw new AsyncDisposalError(asynchronous[1]);
    const [building] = this.#pending.values();
    if (building !== undefined) throw new AsyncDisposalError(building);
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
    await Promise.allSettled(this.#pending.keys());
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
    throw new AggregateError(
      errors,
      `Failed to dispose ${errors.length} instance(s) of the container or scope. See \`errors\` ` +
        'for each cause.',
    );
  }
}
