import { createLogger, type Logger } from '../../src/logging/logger.js';

/** A line of the log, as it was written. */
export type LogLine = Readonly<Record<string, unknown>>;

/** A log that is kept in memory. */
export interface CapturedLog {
  readonly logger: Logger;
  /** What was logged so far. */
  readonly lines: readonly LogLine[];
  /** Resolves to the first line with this message, also one that is logged later. */
  line(message: string): Promise<LogLine>;
}

/** Opens a log in memory that takes everything from debug up. */
export function captureLog(): CapturedLog {
  const lines: LogLine[] = [];
  const waiting = new Set<(line: LogLine) => void>();
  const write = (text: string): void => {
    const line = JSON.parse(text);
    lines.push(line);
    for (const take of waiting) take(line);
  };
  return {
    logger: createLogger('debug', { write }),
    lines,
    line: (message) =>
      new Promise((resolve) => {
        waiting.add((line) => line.msg === message && resolve(line));
        for (const line of lines) if (line.msg === message) resolve(line);
      }),
  };
}
