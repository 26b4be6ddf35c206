import { setImmediate } from 'node:timers/promises';
import type { Log } from './logging/logger.js';

/** Options of {@link Shutdown}. */
export interface ShutdownOptions {
  readonly log: Log;
  /** Milliseconds after which the process exits even if {@link stop} has not finished. */
  readonly timeout: number;
  /** Waits for open requests and closes all resources. */
  stop(): Promise<void>;
  /** Called just before the process exits without waiting for {@link stop}. */
  abandon?(): void;
}

/** Milliseconds within which a repeated signal is ignored. */
const DUPLICATE_WINDOW = 300;

/** Shuts the process down gracefully, or forcibly at the deadline. */
export class Shutdown {
  readonly #options: ShutdownOptions;
  #code: number | undefined = undefined;

  constructor(options: ShutdownOptions) {
    this.#options = options;
  }

  /** Whether the shutdown has begun. */
  get hasBegun(): boolean {
    return this.#code !== undefined;
  }

  /**
   * Begins the shutdown. Later calls can only raise the exit status.
   *
   * @param code - Exit status of the process.
   * @param reason - Logged as the reason for the shutdown.
   */
  begin(code: number, reason: string): void {
    const isFirst = this.#code === undefined;
    this.#code = Math.max(this.#code ?? 0, code);
    if (!isFirst) return;
    const { log, timeout } = this.#options;
    log.logger.info(`users-api is stopping: ${reason}`);
    const onTimeout = () => this.#abandon(`users-api did not stop within ${timeout} ms`);
    setTimeout(onTimeout, timeout).unref();
    void this.#finish();
  }

  /**
   * Begins the shutdown at the first of these signals. A second signal ends the process immediately
   * with status 1. The same signal within 300 ms does not count as a second one, because a terminal
   * and a package manager may both deliver it.
   */
  onSignals(...signals: readonly NodeJS.Signals[]): void {
    for (const signal of signals) {
      let last = Number.NEGATIVE_INFINITY;
      process.on(signal, () => {
        const isDuplicate = performance.now() - last < DUPLICATE_WINDOW;
        last = performance.now();
        if (isDuplicate) return;
        if (this.hasBegun) this.#abandon(`received ${signal} while stopping`);
        this.begin(0, signal);
      });
    }
  }

  /** Begins the shutdown after an uncaught error, which may have left the process in a bad state. */
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
      log.logger.error({ err }, 'users-api failed to close cleanly');
    }
    // A destroyed connection logs its request on a later turn of the event loop.
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
