import { findOptionProblems, type Kinds, object } from '@fairlead/options';
import { SetupError } from './errors/setup-error.js';

/** Codes of errors about single options. The code of the others is `INVALID_OPTION`. */
export type OptionCodes<Options> = { readonly [Name in keyof Options]?: string };

/**
 * Checks the options of a call.
 *
 * @throws {SetupError} Same as {@link throwTogether}.
 */
export function assertOptions<Options extends object>(
  call: string,
  options: Options | undefined,
  kinds: Kinds<Options>,
  codes?: OptionCodes<Options>,
): void {
  throwTogether(findOptionErrors(call, options, kinds, codes));
}

/**
 * Finds everything that is wrong with the options of a call.
 *
 * @param call - The call for the messages, such as `json()`.
 * @param options - What the caller passed; undefined for none.
 * @param kinds - Every option of the call.
 */
export function findOptionErrors<Options extends object>(
  call: string,
  options: Options | undefined,
  kinds: Kinds<Options>,
  codes: OptionCodes<Options> = {},
): readonly SetupError[] {
  if (findOptionProblems<object>(call, options, kinds).length === 0) return [];
  const find = (part: object | undefined, code = 'INVALID_OPTION') =>
    findOptionProblems<object>(call, part, kinds).map((message) => new SetupError(code, message));
  if (!object.accepts(options)) return find(options);
  return Object.entries(options ?? {}).flatMap(([name, value]) =>
    find({ [name]: value }, Object.hasOwn(codes, name) ? codes[name as keyof Options] : undefined),
  );
}

/**
 * Throws one error for everything that is wrong with a call. Does nothing without errors.
 *
 * @throws {SetupError} The only error, or one with all messages. Its code is that of the errors, or
 *   `INVALID_OPTION` when they have several codes.
 */
export function throwTogether(errors: readonly SetupError[]): void {
  const [first, ...others] = errors;
  if (first === undefined) return;
  if (others.length === 0) {
    // The calls that found the problem would fill the stack, so that the application is missing.
    Error.captureStackTrace(first, throwTogether);
    throw first;
  }
  const code = others.every((error) => error.code === first.code) ? first.code : 'INVALID_OPTION';
  throw new SetupError(code, errors.map(({ message }) => message).join('\n'));
}
