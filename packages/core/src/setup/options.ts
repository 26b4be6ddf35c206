import { findOptionProblems } from '@fairlead/options';
import { SetupError } from './setup-error.js';

/** What an option accepts. */
export interface Kind {
  /** Whether the option accepts a value other than undefined. */
  readonly accepts: (value: unknown) => boolean;
  /** Completes the sentence "name must be …". */
  readonly description: string;
  /** Lists the parts that are wrong; none if the whole value is. Each text follows "cannot use". */
  readonly explain?: (value: unknown) => readonly string[];
}

/** The kind of each option of a call, by name. */
export type Kinds<Options> = { readonly [Name in keyof Required<Options>]: Kind };

/**
 * Checks the options of a call.
 *
 * @param call - The call for the messages, such as `json()`.
 * @param options - What the caller passed; undefined for none.
 * @param kinds - Every option of the call.
 * @throws {SetupError} Same as {@link throwTogether}.
 */
export function assertOptions<Options extends object>(
  call: string,
  options: Options | undefined,
  kinds: Kinds<Options>,
): void {
  throwTogether(findOptionProblems(call, options, kinds));
}

/**
 * Throws one error for everything that is wrong with a call. Does nothing without problems.
 *
 * @throws {SetupError} `INVALID_OPTION`, with all messages.
 */
export function throwTogether(problems: readonly string[]): void {
  if (problems.length === 0) return;
  const error = new SetupError('INVALID_OPTION', problems.join('\n'));
  // The calls that found the problem would fill the stack, so that the application is missing.
  Error.captureStackTrace(error, throwTogether);
  throw error;
}
