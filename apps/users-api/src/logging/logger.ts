import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import type { Config } from '../config/config.js';
import { describeError } from './describe-error.js';

export type { Logger } from 'pino';

/** Longest block that is written at once, in bytes: a pipe takes it whole, also from several processes. */
const MAX_WRITE = 4_096;

/** Bytes that wait for a reader of the log that has stopped reading; lines beyond them are dropped. */
const MAX_WAITING = 16 * 1_048_576;

/** A logger on standard output. */
export interface Log {
  readonly logger: Logger;
  /** Resolves once every line is written, or nobody reads them any more. Later lines are dropped. */
  close(): Promise<void>;
}

/**
 * Opens the log of the process.
 *
 * @param options - Least level, and form: `auto` is pretty in a terminal and JSON elsewhere.
 */
export async function openLog({ level, format }: Config['log']): Promise<Log> {
  const isPretty = format === 'pretty' || (format === 'auto' && process.stdout.isTTY === true);
  return isPretty ? openPretty(level) : openJson(level);
}

/**
 * Makes a logger whose errors hold no data of users.
 *
 * @param level - Least level that is logged.
 * @param destination - Takes each line.
 */
export function createLogger(level: string, destination: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: describeError },
  };
  return pino(options, destination);
}

/** Writes in the background: a reader that is slow does not hold up requests. */
function openJson(level: string): Log {
  const destination = pino.destination({
    dest: 1,
    sync: false,
    maxWrite: MAX_WRITE,
    maxLength: MAX_WAITING,
  });
  const ended = new Promise<void>((resolve) => {
    destination.once('close', resolve);
    // The log must not end the service, so that an error of its reader is nobody's.
    destination.on('error', () => resolve());
  });
  let isClosed = false;
  // A line that comes after the end must not fail what logs it.
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
    destination.write(format(forPeople(JSON.parse(line))));
  };
  return { logger: createLogger(level, { write }), close: async () => undefined };
}

/** Writes a request as one sentence. */
function forPeople(line: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { method, path, route: _, status, duration, ...rest } = line;
  if (method === undefined) return line;
  return { ...rest, msg: `${method} ${path} ${status} ${duration} ms` };
}
