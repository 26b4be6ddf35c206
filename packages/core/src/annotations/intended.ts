import { describeValue, markIntended } from '@fairlead/options';
import { SetupError } from '../setup/setup-error.js';

/**
 * Marks a value as intended, which silences the startup warnings about it. The message of a warning names the
 * value to mark. Errors are still reported.
 *
 * @param target - Middleware, a guard, a router, a class, a schema or a list, which may be frozen.
 * @returns The same value.
 * @throws {SetupError} `INVALID_OPTION`, when it is neither an object nor a function.
 */
export function intended<Target extends object>(target: Target): Target {
  if (Object(target) === target) return markIntended(target);
  const problem = `intended() received ${describeValue(target)}`;
  throw new SetupError('INVALID_OPTION', `${problem}. Pass the value that the warning names.`);
}
