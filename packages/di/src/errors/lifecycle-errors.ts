import { describeToken, type Token } from '../token.js';
import { InjectionError } from './injection-error.js';

/** A synchronous resolve met an asynchronous provider that has not settled. */
export class AsyncProviderError extends InjectionError {
  readonly code = 'DI_ASYNC_PROVIDER';

  /** @param path - Ends with the asynchronous provider's token. */
  constructor(path: readonly Token[]) {
    const token = path.at(-1) ?? '';
    super({
      problem: `${describeToken(token)} is provided asynchronously and is not ready.`,
      fix:
        'use `await container.resolveAsync(...)`, or `await container.initialize(roots)` once ' +
        'before the first resolve.',
      path,
      token,
    });
  }
}

/** A constructor or factory threw, or its promise was rejected; `cause` is what it threw. */
export class ConstructionError extends InjectionError {
  readonly code = 'DI_CONSTRUCTION_FAILED';

  /** @param path - Ends with the token whose constructor or factory threw. */
  constructor(path: readonly Token[], cause: unknown) {
    const token = path.at(-1) ?? '';
    const reason = cause instanceof Error ? cause.message : String(cause);
    super({
      problem: `Building ${describeToken(token)} failed: ${reason}`,
      fix: 'see the `cause` of this error: it was thrown by that constructor or factory.',
      path,
      token,
      cause,
    });
  }
}

/** A provider or its options cannot work. */
export class InvalidProviderError extends InjectionError {
  readonly code = 'DI_INVALID_PROVIDER';

  constructor(token: Token, problem: string) {
    super({
      problem: `Cannot register ${describeToken(token)}: ${problem}.`,
      fix:
        'give exactly one of { useValue }, { useClass: aClass }, { useFactory: aFunction, inject: ' +
        '[...] }, { useExisting: aToken }; the scope is singleton, transient or request.',
      path: [token],
      token,
    });
  }
}

/** A container or scope was used after it was disposed. */
export class DisposedError extends InjectionError {
  readonly code = 'DI_DISPOSED';

  constructor(token: Token) {
    super({
      problem: `Cannot resolve ${describeToken(token)}: the container or scope is disposed.`,
      fix: 'resolve before dispose() is called, or create a new container or scope.',
      path: [token],
      token,
    });
  }
}

/** A container or scope was disposed synchronously though it holds what can only be awaited. */
export class AsyncDisposalError extends InjectionError {
  readonly code = 'DI_ASYNC_DISPOSAL';

  constructor(token: Token) {
    super({
      problem: `${describeToken(token)} can only be disposed asynchronously.`,
      fix: 'use `await container.dispose()` or `await using` instead of Symbol.dispose or `using`.',
      path: [token],
      token,
    });
  }
}
