import { ServiceUnavailableError } from '@fairlead/core';
import type { Logger } from '../logging/logger.js';
import type { UserStore } from '../users/store/user-store.js';

/** Default timeout of a check, in milliseconds. */
const CHECK_TIMEOUT = 2_000;

/** Options of {@link Readiness}. */
export interface ReadinessOptions {
  /** Store to check. */
  readonly store: Pick<UserStore, 'check'>;
  /** Logs when the store stops responding and when it recovers. */
  readonly logger: Logger;
  /** Timeout of a check, in milliseconds. Defaults to 2,000. */
  readonly timeout?: number;
}

/** Checks whether the service can handle requests. */
export class Readiness {
  readonly #options: ReadinessOptions;
  #isStopping = false;
  #isFailing = false;
  #checking: Promise<void> | undefined = undefined;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  /** Marks the service as stopping. It is not ready from now on. */
  stop(): void {
    this.#isStopping = true;
  }

  /**
   * Resolves when the service can handle requests.
   *
   * @throws {ServiceUnavailableError} 503 `STOPPING` or `STORE_UNAVAILABLE`.
   */
  async check(): Promise<void> {
    if (this.#isStopping) throw notReady('STOPPING', 'The service is stopping.');
    try {
      await this.#checkWithTimeout();
    } catch (error) {
      if (!this.#isFailing)
        this.#options.logger.error({ err: error }, 'the store is not responding');
      this.#isFailing = true;
      throw notReady('STORE_UNAVAILABLE', 'The store is not responding.');
    }
    if (this.#isFailing) this.#options.logger.info('the store is responding again');
    this.#isFailing = false;
  }

  async #checkWithTimeout(): Promise<void> {
    const { timeout = CHECK_TIMEOUT } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    const timedOut = new Promise<never>((_, reject) => {
      const error = new Error(`The store did not respond within ${timeout} ms.`);
      timer = setTimeout(() => reject(error), timeout);
    });
    try {
      await Promise.race([this.#shareCheck(), timedOut]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Runs one check at a time, shared by concurrent callers. */
  #shareCheck(): Promise<void> {
    this.#checking ??= Promise.resolve()
      .then(() => this.#options.store.check())
      .finally(() => {
        this.#checking = undefined;
      });
    return this.#checking;
  }
}

function notReady(code: string, message: string): ServiceUnavailableError {
  const headers = { 'Cache-Control': 'no-store' };
  return new ServiceUnavailableError(message, { code, headers, expose: true });
}
