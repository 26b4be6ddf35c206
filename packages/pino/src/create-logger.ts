import { SetupError } from '@fairlead/core';
import { assertOptions } from '@fairlead/core/extend';
import { escapeControls, fn, type Kinds, kind, oneOf, requireFrom } from '@fairlead/options';
import pino, {
  type DestinationStream,
  type LevelWithSilent,
  type Logger,
  type LoggerOptions as PinoOptions,
} from 'pino';
import { describeError } from './describe-error.js';
import { isRequestLine } from './request-log.js';

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
  destination: kind('a stream, or an object with a write() method', (value) =>
    fn.accepts(Object(value).write),
  ),
};

/** Maximum size of a write, in bytes. Pipes write such blocks atomically (PIPE_BUF). */
const MAX_WRITE = 4_096;

/** Maximum size of the buffer for a slow reader, in bytes. Lines beyond it are dropped. */
const MAX_BUFFERED = 16 * 1_048_576;

/**
 * Creates a pino logger that writes to standard output and keeps user data out of logged errors.
 *
 * JSON is written asynchronously, at most 4 KiB at a time, so a slow reader does not delay requests. Up to
 * 16 MiB wait for it, and later lines are dropped. Lines that wait when the process exits are written then.
 * A failing write does not end the process, and does not keep it from exiting: its lines are then lost.
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
  const destination = options.destination ?? openOutput(prettify !== undefined);
  const stream = prettify
    ? { write: (line: string) => void destination.write(prettify(line)) }
    : destination;
  const formatters = { level: (label: string) => ({ level: label }) };
  const hooks = { logMethod: createLogMethod(serializeError) };
  return pino({ level, formatters, hooks, serializers: { err: serializeError } }, stream);
}

/** Without a message, pino would log that of the error, which may quote user data. */
function createLogMethod(serializeError: (error: unknown) => object): LogMethod {
  return function logMethod(values, log) {
    const [first, text] = values;
    if (text !== undefined) return log.apply(this, values);
    const error: unknown = first instanceof Error ? first : Object(first).err;
    if (!(error instanceof Error)) return log.apply(this, values);
    const { message = error.name }: { readonly message?: unknown } = serializeError(error);
    return log.call(this, first, String(message));
  };
}

type LogMethod = NonNullable<NonNullable<PinoOptions['hooks']>['logMethod']>;

/** Opens standard output. Pretty lines are written synchronously, in order with those of `console`. */
function openOutput(sync: boolean): DestinationStream {
  const limits = sync ? {} : { maxWrite: MAX_WRITE, maxLength: MAX_BUFFERED };
  const output = pino.destination({ dest: 1, sync, ...limits });
  let isFailing = false;
  // A failing log must not end the service.
  output.on('error', () => {
    isFailing = true;
  });
  output.on('write', () => {
    isFailing = false;
  });
  const { flushSync } = output;
  // Called when the process exits. After an error, such as a full disk, the original would try forever.
  output.flushSync = () => {
    if (!isFailing) flushSync.call(output);
  };
  return output;
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
