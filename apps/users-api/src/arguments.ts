import { parseArgs } from 'node:util';

/** What to do, according to the command line. */
export type Command = 'start' | 'help' | 'version';

/** An invalid command line. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
  readonly code = 'ARGUMENT_INVALID';
}

/**
 * Parses the command line of the service.
 *
 * @param args - The arguments that follow the program's name.
 * @throws {ArgumentError} When an argument is unknown.
 */
export function readArguments(args: readonly string[]): Command {
  const options = { help: { type: 'boolean' }, version: { type: 'boolean' } } as const;
  const { help, version } = parse(() => parseArgs({ args: [...args], options })).values;
  if (help) return 'help';
  return version ? 'version' : 'start';
}

/**
 * Runs a parser and turns what it throws into an {@link ArgumentError}.
 *
 * @throws {ArgumentError} When the parser throws, with its message.
 */
export function parse<T>(parser: () => T): T {
  try {
    return parser();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new ArgumentError(`${message.replace(/\.$/, '')}. See --help.`, { cause });
  }
}
