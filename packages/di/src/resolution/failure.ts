import type { InjectionError, Problem } from '../errors/injection-error.js';
import { ConstructionError } from '../errors/lifecycle-errors.js';
import type { Token } from '../token.js';

/** Something that is built. */
export interface Origin {
  readonly token: Token;
  /** Where it is declared, such as `src/users.ts:12:1`; undefined if unknown. */
  readonly location: string | undefined;
}

/**
 * Thrown while instances are being built. Each level prepends its token to the path, and the
 * outermost one converts the failure into an {@link InjectionError}.
 */
export class Failure {
  /** @param origin - What failed. Failures with the same origin have the same cause. */
  constructor(
    readonly path: readonly Token[],
    readonly problem: Problem,
    readonly origin: object,
  ) {}

  /**
   * Prepends the token being built to the path of a failure, or wraps the error that its constructor
   * or factory threw.
   */
  static prepend(origin: Origin, error: unknown): Failure {
    const { token } = origin;
    return error instanceof Failure
      ? new Failure([token, ...error.path], error.problem, error.origin)
      : new Failure([token], (path) => new ConstructionError(path, error, origin.location), origin);
  }

  toError(): InjectionError {
    return this.problem(this.path);
  }
}

/** Converts a failure into the error that callers of the container receive. */
export function toPublicError(error: unknown): unknown {
  return error instanceof Failure ? error.toError() : error;
}
