import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import type { Config } from '../config/config.js';
import { describeError } from './describe-error.js';

export type { Logger } from 'pino';

/** Maximum size of a write, in bytes. Pipes write such blocks atomically (PIPE_BUF). */
const MAX_WRITE = 4_096;

/** Maximum size of the buffer for a slow reader, in bytes. Lines beyond it are dropped. */
const MAX_BUFFERED = 16 * 1_048_576;

/** A logger on standard output. */
export interface Log {
  readonly logger: Logger;
  /** Resolves once every line is written or the reader has gone. Later lines are dropped. */
  close(): Promise<void>;
}

/**
 * Opens the log of the process.
 *
 * @param options - Minimum level and format. `auto` is pretty in a terminal and JSON elsewhere.
 */
export async function openLog({ level, format }: Config['log']): Promise<Log> {
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

/** Writes asynchronously, so a slow reader does not delay requests. */
function openJson(level: string): Log {
  const destination = pino.destination({
    dest: 1,
    sync: false,
    maxWrite: MAX_WRITE,
    maxLength: MAX_BUFFERED,
  });
  const ended = new Promise<void>((resolve) => {
    destination.once('close', resolve);
    // A failing log must not end the service.
    destination.on('error', () => resolve());
  });
  let isClosed = false;
  // Writing to a closed destination would throw.
  const write = (line: string): void => {
    if (!isClosed) destination.write(line);
  };
  return {
    logger: createLogger(level, { write }),
    close() {
      isClosed = true;
      destination.end();
      return ended;
    },
  };
}

async function openPretty(level: string): Promise<Log> {
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
  return { logger: createLogger(level, { write }), close: async () => undefined };
}

/** Replaces the fields of a request with a one-line message. */
function summarizeRequest(
  line: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { method, path, route: _, status, duration, ...rest } = line;
  if (method === undefined) return line;
  return { ...rest, msg: `${method} ${path} ${status} ${duration} ms` };
}
