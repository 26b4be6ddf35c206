import { SetupError } from '@fairlead/core';
import { assertOptions } from '@fairlead/core/extend';
import {
  escapeControls,
  fn,
  hasMethods,
  type Kinds,
  kind,
  oneOf,
  requireFrom,
} from '@fairlead/options';
import pino, { type DestinationStream, type LevelWithSilent, type Logger } from 'pino';
import { describeError } from './describe-error.js';
import { isRequestLine } from './request-log.js';
import { openStandardOutput } from './standard-output.js';

/** Options of {@link createLogger}. */
export interface LoggerOptions {
  /** Minimum level to log. Default `info`. */
  readonly level?: LevelWithSilent;
  /**
   * Format of the lines. `pretty` needs the package pino-pretty. `auto`, the default, is `pretty` in a
   * terminal if pino-pretty is installed, and `json` elsewhere.
   */
  readonly format?: 'auto' | 'json' | 'pretty';
  /** Returns what the log shows of an error, which is the member `err` of a line. Default {@link describeError}. */
  readonly serializeError?: (error: unknown) => object;
  /** Receives each line, such as in a test. Default: standard output. */
  readonly destination?: DestinationStream;
}

const LOGGER_OPTIONS: Kinds<LoggerOptions> = {
  level: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  format: oneOf('auto', 'json', 'pretty'),
  serializeError: fn,
  destination: kind('a stream, or an object with a write() method', hasMethods('write')),
};

/**
 * Creates a pino logger that writes to standard output and keeps user data out of logged errors.
 *
 * JSON is written at the end of each turn of the event loop, and at once for level fatal. A slow reader of a pipe does
 * not delay requests: up to 16 MiB wait for it, and later lines are dropped. Lines that wait when the process exits are
 * written then, unless the reader takes nothing for a second. A failing write does not end the process, and does not
 * keep it from exiting: its lines are then lost.
 *
 * @returns A logger whose level is a name in each line.
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid; `PRETTY_UNAVAILABLE`,
 *   when `format` is `pretty` and pino-pretty is not installed.
 */
export function createLogger(options: LoggerOptions = {}): Logger {
  assertOptions('createLogger()', options, LOGGER_OPTIONS);
  const { level = 'info', format = 'auto', serializeError = describeError } = options;
  const isTerminal = options.destination === undefined && process.stdout.isTTY === true;
  const isPretty = format === 'pretty' || (format === 'auto' && isTerminal);
  const prettify = isPretty ? loadPretty(format, isTerminal) : undefined;
  const destination = options.destination ?? openStandardOutput(prettify !== undefined);
  const stream = prettify
    ? { write: (line: string) => void destination.write(prettify(line)) }
    : destination;
  const formatters = { level: (label: string) => ({ level: label }) };
  const logger = pino({ level, formatters, serializers: { err: serializeError } }, stream);
  describeMessages(logger, serializeError);
  return logger;
}

/** The method of a logger that writes a line. Loggers inherit it from their parents. */
interface LineWriter {
  [pino.symbols.writeSym](this: Logger, fields: unknown, text: unknown, level: number): void;
}

/**
 * Gives lines of errors without a message the described one. pino's own may quote user data. A hook of pino would do
 * it, too, but takes 1 µs of each line.
 */
function describeMessages(logger: Logger, serializeError: (error: unknown) => object): void {
  const writeSym: typeof pino.symbols.writeSym = pino.symbols.writeSym;
  const writer = logger as Logger & LineWriter;
  const write = writer[writeSym];
  writer[writeSym] = function writeDescribed(fields, text, level) {
    write.call(this, fields, text ?? describeMessage(this, fields, serializeError), level);
  };
}

function describeMessage(
  { msgPrefix = '' }: Logger,
  fields: unknown,
  serializeError: (error: unknown) => object,
): string | undefined {
  const { err, msg } = fields instanceof Error ? { err: fields } : Object(fields);
  if (!(err instanceof Error) || msg !== undefined) return undefined;
  const { message = err.name }: { readonly message?: unknown } = serializeError(err);
  return `${msgPrefix}${message}`;
}

/**
 * Returns the function of pino-pretty that formats a line. If the package is not installed, returns undefined
 * for `auto`.
 */
function loadPretty(
  format: LoggerOptions['format'],
  colorize: boolean,
): ((line: string) => string) | undefined {
  try {
    const load = requireFrom(import.meta.url as string | undefined);
    const { prettyFactory }: typeof import('pino-pretty') = load('pino-pretty');
    const prettify = prettyFactory({
      colorize,
      translateTime: 'SYS:HH:MM:ss.l',
      ignore: 'pid,hostname',
      singleLine: true,
    });
    // pino-pretty prints text as it is, and JSON keeps its control characters.
    const parse = (line: string) =>
      JSON.parse(line, (_, value) => (typeof value === 'string' ? escapeControls(value) : value));
    return (line) => prettify(summarize(parse(line)));
  } catch (cause) {
    if (Object(cause).code !== 'MODULE_NOT_FOUND') throw cause;
    if (format === 'auto') return undefined;
    throw new SetupError(
      'PRETTY_UNAVAILABLE',
      "createLogger() cannot use the format 'pretty': the package pino-pretty is not installed. Run 'npm install pino-pretty', or pass format: 'json'.",
      { cause },
    );
  }
}

/** Replaces the fields of a request with a one-line message. */
function summarize(line: Readonly<Record<string, unknown>>): object {
  if (!isRequestLine(line)) return line;
  const { method, path, route: _, status, duration, ...rest } = line;
  return { ...rest, msg: `${method} ${path} ${status} ${duration} ms` };
}
