import type { ControllerError } from '../errors/controller-error.js';

/** A mistake in the use of a decorator, which the startup reports. */
export interface DecoratorProblem {
  /** The method or property that the decorator belongs to; undefined for the class. */
  readonly member: string | symbol | undefined;
  /**
   * Returns the error, always the same one: a base class has it in common with its subclasses.
   *
   * @param location - Where the class is declared, if known.
   */
  readonly toError: (location: string | undefined) => ControllerError;
}

/**
 * Creates a problem.
 *
 * @param create - Creates the error. Called once, because most problems are found before the location
 *   of the class is known.
 */
export function decoratorProblem(
  member: DecoratorProblem['member'],
  create: DecoratorProblem['toError'],
): DecoratorProblem {
  let error: ControllerError | undefined;
  const toError: DecoratorProblem['toError'] = (location) => {
    error ??= create(location);
    return error;
  };
  return { member, toError };
}
