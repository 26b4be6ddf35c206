import { createLogger } from '@fairlead/pino';
import type { Logger } from 'pino';
import { serializeError } from '../../src/errors.js';

/** A parsed log line. */
export type LogLine = Readonly<Record<string, unknown>>;

/** Collects log lines as they arrive. */
export class LogLines {
  readonly all: LogLine[] = [];
  readonly #waiting = new Set<() => void>();

  push(line: LogLine): void {
    this.all.push(line);
    for (const check of this.#waiting) check();
  }

  /**
   * Waits for `count` lines with this message and returns the first ones.
   *
   * @param message - The whole message.
   * @param count - The number of lines to wait for.
   */
  async first(message: string, count: number): Promise<readonly LogLine[]> {
    const { promise, resolve } = Promise.withResolvers<readonly LogLine[]>();
    const check = () => {
      const found = this.all.filter(({ msg }) => msg === message);
      if (found.length >= count) resolve(found.slice(0, count));
    };
    this.#waiting.add(check);
    check();
    return promise.finally(() => this.#waiting.delete(check));
  }
}

/** A logger that writes to memory. */
export interface CapturedLog {
  readonly logger: Logger;
  readonly lines: LogLines;
}

/** Creates a logger that keeps every line from a level up in memory. */
export function captureLog(level: 'debug' | 'info' = 'debug'): CapturedLog {
  const lines = new LogLines();
  const write = (text: string): void => lines.push(JSON.parse(text));
  const logger = createLogger({ level, serializeError, destination: { write } });
  return { logger, lines };
}
