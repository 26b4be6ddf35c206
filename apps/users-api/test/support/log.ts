import { createLogger, type Logger } from '../../src/logging/logger.js';

/** A line of the log, as it was written. */
export type LogLine = Readonly<Record<string, unknown>>;

/** The lines of a log, as they come. */
export class LogLines {
  readonly all: LogLine[] = [];
  readonly #waiting = new Set<() => void>();

  push(line: LogLine): void {
    this.all.push(line);
    for (const look of this.#waiting) look();
  }

  /**
   * Resolves to the first lines with this message, also to those that are logged later.
   *
   * @param message - The whole of it.
   * @param count - How many to wait for.
   */
  async first(message: string, count: number): Promise<readonly LogLine[]> {
    const { promise, resolve } = Promise.withResolvers<readonly LogLine[]>();
    const look = () => {
      const found = this.all.filter(({ msg }) => msg === message);
      if (found.length >= count) resolve(found.slice(0, count));
    };
    this.#waiting.add(look);
    look();
    return promise.finally(() => this.#waiting.delete(look));
  }
}

/** A log that is kept in memory. */
export interface CapturedLog {
  readonly logger: Logger;
  readonly lines: LogLines;
}

/** Opens a log in memory that takes everything from debug up. */
export function captureLog(): CapturedLog {
  const lines = new LogLines();
  const write = (text: string): void => lines.push(JSON.parse(text));
  return { logger: createLogger('debug', { write }), lines };
}
