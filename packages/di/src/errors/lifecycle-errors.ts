import { hideProperties, numberMessages } from '@fairlead/options';
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

  /** @param path - Ends with the token whose constructor or factory threw. */
  constructor(path: readonly Token[], cause: unknown) {
    const token = path.at(-1) ?? '';
    const reason = cause instanceof Error ? cause.message : String(cause);
    super({
      problem: `Building ${describeToken(token)} failed: ${reason}`,
      fix: 'correct the error that the constructor or factory threw. It is the `cause` of this one.',
      path,
      token,
      cause,
    });
  }
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

const PROVIDER_FIX =
  'pass exactly one of { useValue }, { useClass: aClass }, { useFactory: aFunction, inject: ' +
  "[...] } or { useExisting: aToken }, and the scope 'singleton', 'transient' or 'request'.";

/** A provider or its options are invalid. */
export class InvalidProviderError extends InjectionError {
  readonly code = 'DI_INVALID_PROVIDER';

  constructor(token: Token, problem: string, fix = PROVIDER_FIX) {
    super({
      problem: `Cannot register ${describeToken(token)}: ${problem}.`,
      fix,
      path: [token],
      token,
    });
  }

  /** Creates the error for an eager provider that is not a singleton. */
  static eagerScope(token: Token, scope: string): InvalidProviderError {
    const problem = `an eager provider must be a singleton, but its scope is '${scope}'`;
    return new InvalidProviderError(token, problem, "remove eager, or set the scope 'singleton'.");
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
