import { setImmediate } from 'node:timers/promises';
import type { Log } from './logging/logger.js';

/** What a process does to stop. */
export interface ShutdownOptions {
  readonly log: Log;
  /** Milliseconds until the process ends even if {@link stop} has not. */
  readonly timeout: number;
  /** Lets requests in flight finish and closes what is open. */
  stop(): Promise<void>;
  /** Runs just before the process ends without waiting for {@link stop}. */
  abandon?(): void;
}

/** Milliseconds within which a signal that comes twice is one. */
const SAME_SIGNAL = 300;

/** Ends the process once: cleanly where that is possible, at the deadline where it is not. */
export class Shutdown {
  readonly #options: ShutdownOptions;
  #code: number | undefined = undefined;

  constructor(options: ShutdownOptions) {
    this.#options = options;
  }

  /** Whether the process is about to end. */
  get hasBegun(): boolean {
    return this.#code !== undefined;
  }

  /**
   * Stops, and ends the process. What is thrown and caught nowhere does so too, with 1.
   *
   * @param code - Exit status. A later call only raises it.
   * @param reason - For the log.
   */
  begin(code: number, reason: string): void {
    const isFirst = this.#code === undefined;
    this.#code = Math.max(this.#code ?? 0, code);
    if (!isFirst) return;
    const { log, timeout } = this.#options;
    log.logger.info(`users-api stops: ${reason}`);
    const late = () => this.#abandon(`users-api has not stopped within ${timeout} ms`);
    setTimeout(late, timeout).unref();
    void this.#finish();
  }

  /**
   * Stops at these signals, the first time; at the second one the process ends at once, with 1. What a
   * terminal sends to all processes and a package manager hands on as well is one signal.
   */
  onSignals(...signals: readonly NodeJS.Signals[]): void {
    for (const signal of signals) {
      let last = Number.NEGATIVE_INFINITY;
      process.on(signal, () => {
        const isSame = performance.now() - last < SAME_SIGNAL;
        last = performance.now();
        if (isSame) return;
        if (this.hasBegun) this.#abandon(`${signal} again`);
        this.begin(0, signal);
      });
    }
  }

  /** Stops when something was thrown that nobody has caught: what it has left undone is unknown. */
  onUncaught(): void {
    const { logger } = this.#options.log;
    process.on('uncaughtException', (err, origin) => {
      logger.fatal({ err }, origin);
      this.begin(1, origin);
    });
  }

  async #finish(): Promise<void> {
    const { log, stop } = this.#options;
    try {
      await stop();
    } catch (err) {
      this.#code = 1;
      log.logger.error({ err }, 'users-api has not closed all that was open');
    }
    // A connection that was cut tells of its request after the first turn of the event loop.
    await setImmediate();
    await setImmediate();
    await log.close();
    process.exit(this.#code);
  }

  #abandon(reason: string): never {
    this.#options.log.logger.fatal(reason);
    this.#options.abandon?.();
    process.exit(1);
  }
}
