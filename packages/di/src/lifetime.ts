import { AsyncDisposalError, DisposedError } from './errors/injection-errors.js';
import type { Token } from './token.js';

/** What disposes each instance: the lifetime that tracked it first, or the application, which registered a value. */
const owners = new WeakMap<object, Lifetime | 'application'>();

/** Records that the application disposes a value, unless a container created it. */
export function leaveToApplication(value: unknown): void {
  if (isDisposable(value) && !owners.has(value)) owners.set(value, 'application');
}

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

  /** Records an instance for disposal if it is disposable. One that a factory passes on stays with its owner. */
  track(token: Token, instance: unknown): void {
    if (!isDisposable(instance) || owners.has(instance)) return;
    owners.set(instance, this);
    this.#created.set(instance, token);
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
    for (const [instance, created] of this.#takeAll()) {
      try {
        const disposal: unknown = (instance as Disposable)[Symbol.dispose]();
        if (!isPromise(disposal)) continue;
        errors.push(new AsyncDisposalError(created));
        // Nothing waits for it.
        disposal.then(undefined, (error) => process.emitWarning(toError(error)));
      } catch (error) {
        errors.push(error);
      }
    }
    throwAll(errors);
  }

  async #disposeAll(): Promise<void> {
    await Promise.allSettled(this.#pending.keys());
    const errors: unknown[] = [];
    for (const [instance] of this.#takeAll()) {
      try {
        // A method of the wrong name may be asynchronous, too.
        if (Symbol.asyncDispose in instance) {
          await (instance as AsyncDisposable)[Symbol.asyncDispose]();
        } else await (instance as Disposable)[Symbol.dispose]();
      } catch (error) {
        errors.push(error);
      }
    }
    throwAll(errors);
  }

  /** Empties the list of instances, and returns it, newest first. */
  #takeAll(): readonly (readonly [instance: object, token: Token])[] {
    const instances = [...this.#created].reverse();
    this.#created.clear();
    for (const [instance] of instances) owners.delete(instance);
    return instances;
  }
}

function isDisposable(value: unknown): value is object {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isObject && (Symbol.dispose in value || Symbol.asyncDispose in value);
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

/** @throws {AggregateError} When there are errors. */
function throwAll(errors: readonly unknown[]): void {
  if (errors.length === 0) return;
  const problem = `Failed to dispose ${errors.length} instance(s) of the container or scope.`;
  throw new AggregateError(errors, `${problem} See \`errors\` for each cause.`);
}

/** Whether a value must be awaited. */
export function isPromise(value: unknown): value is PromiseLike<unknown> {
  const isObject = typeof value === 'object' && value !== null;
  return isObject && 'then' in value && typeof value.then === 'function';
}
