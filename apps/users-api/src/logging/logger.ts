import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import type { Config } from '../config/config.js';
import { describeError } from './describe-error.js';

export type { Logger } from 'pino';

/** Maximum size of a write, in bytes. Pipes write such blocks atomically (PIPE_BUF). */
const MAX_WRITE = 4_096;

/** Maximum size of the buffer for a slow reader, in bytes. Lines beyond it are dropped. */
const MAX_BUFFERED = 16 * 1_048_576;

/**
 * Opens the log of the process, on standard output.
 *
 * @param options - Minimum level and format. `auto` is pretty in a terminal and JSON elsewhere.
 */
export async function openLogger({ level, format }: Config['log']): Promise<Logger> {
  const isPretty = format === 'pretty' || (format === 'auto' && process.stdout.isTTY === true);
  return isPretty ? openPretty(level) : openJson(level);
}

/**
 * Creates a logger that keeps user data out of logged errors.
 *
 * @param level - Minimum level to log.
 * @param destination - Receives each line.
 */
export function createLogger(level: string, destination: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: describeError },
  };
  return pino(options, destination);
}

/**
 * Writes asynchronously, so a slow reader does not delay requests. Lines that are being written keep
 * the process running.
 */
function openJson(level: string): Logger {
  const destination = pino.destination({
    dest: 1,
    sync: false,
    maxWrite: MAX_WRITE,
    maxLength: MAX_BUFFERED,
  });
  // A failing log must not end the service.
  destination.on('error', () => undefined);
  return createLogger(level, destination);
}

async function openPretty(level: string): Promise<Logger> {
  const { prettyFactory } = await import('pino-pretty');
  const format = prettyFactory({
    colorize: process.stdout.isTTY === true,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,hostname',
    singleLine: true,
  });
  const destination = pino.destination({ dest: 1, sync: true });
  const write = (line: string): void => {
    destination.write(format(summarizeRequest(JSON.parse(line))));
  };
  return createLogger(level, { write });
}

/** Replaces the fields of a request with a one-line message. */
function summarizeRequest(
  line: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { method, path, route: _, status, duration, ...rest } = line;
  if (method === undefined) return line;
  return { ...rest, msg: `${method} ${path} ${status} ${duration} ms` };
}
