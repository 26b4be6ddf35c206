import { findOptionProblems, type Kinds } from '@fairlead/options';
import { ControllerError } from './controller-error.js';

/** Creates the error for an argument or option that a call does not accept. */
export function optionError(message: string): ControllerError {
  return new ControllerError(message, { code: 'INVALID_OPTION' });
}

/**
 * Finds everything that is wrong with the options of a call.
 *
 * @param call - The call, such as `registerController()`.
 * @param options - What the caller passed; undefined for none.
 * @param kinds - Every option of the call.
 * @returns One error per problem.
 */
export function findOptionErrors<Options extends object>(
  call: string,
  options: Options | undefined,
  kinds: Kinds<Options>,
): ControllerError[] {
  return findOptionProblems(call, options, kinds).map(optionError);
}
