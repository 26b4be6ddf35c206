import { AsyncDisposalError, DisposedError } from './errors/injection-errors.js';
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

  /** Disposes every instance, newest first. Later calls return the promise of the first. */
  dispose(): Promise<void> {
    this.#disposal ??= this.#disposeAll();
    return this.#disposal;
  }

  /**
   * Disposes every instance synchronously, newest first.
   *
   * @throws {AsyncDisposalError} When an instance has only `Symbol.asyncDispose` or a build is
   *   running. In that case, nothing is disposed.
   */
  disposeSync(): void {
    if (this.disposed) return;
    const asynchronous = [...this.#created]
      .reverse()
      .find(([instance]) => !(Symbol.dispose in instance));
    const [building] = this.#pending.values();
    const token = asynchronous?.[1] ?? building;
    if (token !== undefined) throw new AsyncDisposalError(token);
    this.#disposal = Promise.resolve();
    const errors: unknown[] = [];
    for (const instance of this.#takeAll()) {
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
    const errors: unknown[] = [];
    for (const instance of this.#takeAll()) {
      try {
        if (Symbol.asyncDispose in instance) {
          await (instance as AsyncDisposable)[Symbol.asyncDispose]();
        } else (instance as Disposable)[Symbol.dispose]();
      } catch (error) {
        errors.push(error);
      }
    }
    throwAll(errors);
  }

  /** Empties the list of instances, and returns it, newest first. */
  #takeAll(): readonly object[] {
    const instances = [...this.#created.keys()].reverse();
    this.#created.clear();
    return instances;
  }
}

function isDisposable(value: unknown): value is object {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isObject && (Symbol.dispose in value || Symbol.asyncDispose in value);
}

/** @throws {AggregateError} When there are errors. */
function throwAll(errors: readonly unknown[]): void {
  if (errors.length === 0) return;
  const problem = `Failed to dispose ${errors.length} instance(s) of the container or scope.`;
  throw new AggregateError(errors, `${problem} See \`errors\` for each cause.`);
}
