import type { InjectionError, Problem } from '../errors/injection-error.js';
import { ConstructionError } from '../errors/lifecycle-errors.js';
import type { Token } from '../token.js';

/**
 * What is thrown while instances are being built. It gathers the path on its way out, and
 * becomes an {@link InjectionError} where the resolution began.
 */
export class Failure {
  constructor(
    readonly path: readonly Token[],
    readonly problem: Problem,
  ) {}

  /** Puts the token that was being built in front of a failure's path. */
  static under(token: Token, error: unknown): Failure {
    return error instanceof Failure
      ? new Failure([token, ...error.path], error.problem)
      : Failure.of(token, error);
  }

  /** The failure of a token's own constructor or factory. */
  static of(token: Token, cause: unknown): Failure {
    return new Failure([token], (path) => new ConstructionError(path, cause));
  }

  toError(): InjectionError {
    return this.problem(this.path);
  }
}

/** Makes what a caller of the container may see of a thrown value. */
export function toPublicError(error: unknown): unknown {
  return error instanceof Failure ? error.toError() : error;
}
