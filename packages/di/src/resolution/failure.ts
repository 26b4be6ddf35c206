import type { InjectionError, Problem } from '../errors/injection-error.js';
import { ConstructionError } from '../errors/lifecycle-errors.js';
import type { Token } from '../token.js';

/**
 * Thrown while instances are being built. Each level prepends its token to the path, and the
 * outermost one converts the failure into an {@link InjectionError}.
 */
export class Failure {
  constructor(
    readonly path: readonly Token[],
    readonly problem: Problem,
  ) {}

  /** Prepends the token being built to the path of a failure, or wraps another error in one. */
  static prepend(token: Token, error: unknown): Failure {
    return error instanceof Failure
      ? new Failure([token, ...error.path], error.problem)
      : Failure.of(token, error);
  }

  /** Returns the failure for an error that a token's constructor or factory threw. */
  static of(token: Token, cause: unknown): Failure {
    return new Failure([token], (path) => new ConstructionError(path, cause));
  }

  toError(): InjectionError {
    return this.problem(this.path);
  }
}

/** Converts a failure into the error that callers of the container receive. */
export function toPublicError(error: unknown): unknown {
  return error instanceof Failure ? error.toError() : error;
}
