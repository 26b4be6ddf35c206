import { parseArgs } from 'node:util';

/** What the command line asks for. */
export type Request = 'start' | 'help' | 'version';

/** A command line that cannot be read. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
  readonly code = 'ARGUMENT_INVALID';
}

/**
 * Reads the command line of the service.
 *
 * @param args - The arguments, without the program.
 * @throws {ArgumentError} When there is one that the service does not know.
 */
export function readArguments(args: readonly string[]): Request {
  const options = { help: { type: 'boolean' }, version: { type: 'boolean' } } as const;
  const { help, version } = parse(() => parseArgs({ args: [...args], options })).values;
  if (help) return 'help';
  return version ? 'version' : 'start';
}

/**
 * Runs a parser of arguments.
 *
 * @throws {ArgumentError} With the parser's message, when it throws.
 */
export function parse<T>(parser: () => T): T {
  try {
    return parser();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new ArgumentError(`${message.replace(/\.$/, '')}. See --help.`, { cause });
  }
}
