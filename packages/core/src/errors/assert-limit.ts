import { SetupError } from './setup-error.js';

/**
 * Checks a limit that is given as a number.
 *
 * @param name - The option, for the message.
 * @param limit - A whole number from 0 up.
 * @throws {SetupError} `INVALID_LIMIT`, when it is not.
 */
export function assertLimit(name: string, limit: number): void {
  if (Number.isSafeInteger(limit) && limit >= 0) return;
  throw new SetupError('INVALID_LIMIT', `${name} takes a whole number from 0 up, not ${limit}.`);
}
