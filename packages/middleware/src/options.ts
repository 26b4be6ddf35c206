import { SetupError } from '@fairlead/core';
import { findOptionProblems, type Kinds } from '@fairlead/options';

/**
 * Checks the options of a call.
 *
 * @throws {SetupError} `INVALID_OPTION`, with everything that is wrong.
 */
export function assertOptions<Options extends object>(
  call: string,
  options: Options | undefined,
  kinds: Kinds<Options>,
): void {
  throwTogether(findOptionProblems<object>(call, options, kinds));
}

/**
 * Throws one error for everything that is wrong with a call. Does nothing without problems.
 *
 * @throws {SetupError} `INVALID_OPTION`, with all messages.
 */
export function throwTogether(problems: readonly string[]): void {
  if (problems.length > 0) throw new SetupError('INVALID_OPTION', problems.join('\n'));
}

/** Whether a response can have a header. */
export function isHeader(name: string, value: string): boolean {
  // An import of node:http would load fetch with the package.
  const { validateHeaderName, validateHeaderValue } = process.getBuiltinModule('node:http');
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
