import { describeValue, hideProperties, numberMessages } from '@fairlead/options';
import { describeToken, type Token } from '../token.js';
import { InjectionError } from './injection-error.js';

/** `resolve` needed an asynchronous provider that has not settled. */
export class AsyncProviderError extends InjectionError {
  readonly code = 'DI_ASYNC_PROVIDER';

  /** @param path - Ends with the asynchronous provider's token. */
  constructor(path: readonly Token[]) {
    const token = path.at(-1) ?? '';
    super({
      problem: `Cannot resolve ${describeToken(token)} synchronously: its asynchronous factory has not finished.`,
      fix:
        'use `await container.resolveAsync(...)`, or call `await container.initialize(roots)` once ' +
        'before the first `resolve`.',
      path,
      token,
    });
  }
}

/** A constructor or factory threw or rejected. `cause` is the thrown value. */
export class ConstructionError extends InjectionError {
  readonly code = 'DI_CONSTRUCTION_FAILED';

  /**
   * @param path - Ends with the token whose constructor or factory threw.
   * @param cause - The thrown value.
   * @param location - Where the class is decorated or the factory registered.
   */
  constructor(path: readonly Token[], cause: unknown, location?: string) {
    const token = path.at(-1) ?? '';
    super({
      problem: `Building ${describeToken(token)} failed: ${describeThrown(cause)}`,
      fix: 'correct the error that the constructor or factory threw, which is the `cause` of this one.',
      path,
      token,
      location,
      cause,
    });
  }
}

/** Errors of failed connections to several addresses have an empty message. */
function describeThrown(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown;
  if (!(thrown instanceof Error)) return describeValue(thrown);
  if (thrown.message !== '') return thrown.message;
  const errors: readonly unknown[] = thrown instanceof AggregateError ? thrown.errors : [];
  return errors.length === 0 ? thrown.name : errors.map(describeThrown).join('; ');
}

/** Several providers cannot be built, or have wiring problems. The message numbers the problems. */
export class InitializationError extends InjectionError {
  readonly code = 'DI_INITIALIZATION_FAILED';
  /** All problems, in the order of the message. */
  readonly problems: readonly InjectionError[];

  /** @param problems - At least two. */
  constructor(problems: readonly InjectionError[]) {
    const messages = problems.map(({ message }) => message);
    super({
      problem: numberMessages(
        `Cannot initialize the container: ${problems.length} problems.`,
        messages,
      ),
      path: [],
      token: problems[0]?.token ?? '',
    });
    this.problems = Object.freeze([...problems]);
    hideProperties(this, 'problems');
  }
}

/** A container or scope was used after it was disposed. */
export class DisposedError extends InjectionError {
  readonly code = 'DI_DISPOSED';

  constructor(token: Token) {
    super({
      problem: `Cannot resolve or register ${describeToken(token)}: the container or scope is disposed.`,
      fix: 'use it before you call dispose(), or create a new container or scope.',
      path: [token],
      token,
    });
  }
}

/** A container or scope that needs asynchronous disposal was disposed synchronously. */
export class AsyncDisposalError extends InjectionError {
  readonly code = 'DI_ASYNC_DISPOSAL';

  constructor(token: Token) {
    super({
      problem:
        `Cannot dispose ${describeToken(token)} synchronously: it has no Symbol.dispose method, or its ` +
        'asynchronous factory has not finished.',
      fix: 'use `await container.dispose()` or `await using` instead of Symbol.dispose or `using`.',
      path: [token],
      token,
    });
  }
}
