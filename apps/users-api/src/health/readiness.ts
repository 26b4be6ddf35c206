import { ServiceUnavailableError } from '@fairlead/core';
import type { Logger } from '../logging/logger.js';
import type { UserStore } from '../users/store/user-store.js';

/** How long the store may take to say that it answers, in milliseconds. */
const CHECK_TIMEOUT = 2_000;

/** Settings of {@link Readiness}. */
export interface ReadinessOptions {
  /** Asked whether it answers. */
  readonly store: Pick<UserStore, 'check'>;
  /** Is told when the store stops to answer, and when it answers again. */
  readonly logger: Logger;
  /** How long the store may take, in milliseconds; 2,000 unless given. */
  readonly timeout?: number;
}

/** Whether the service can take requests now. */
export class Readiness {
  readonly #options: ReadinessOptions;
  #isStopping = false;
  #isFailing = false;
  #checking: Promise<void> | undefined = undefined;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  /** From now on the service is not ready: it is about to stop. */
  stop(): void {
    this.#isStopping = true;
  }

  /**
   * Resolves when the service can take requests.
   *
   * @throws {ServiceUnavailableError} 503 `STOPPING` or `STORE_UNAVAILABLE`.
   */
  async check(): Promise<void> {
    if (this.#isStopping) throw notReady('STOPPING', 'The service is stopping.');
    try {
      await this.#checkInTime();
    } catch (error) {
      if (!this.#isFailing) this.#options.logger.error({ err: error }, 'the store does not answer');
      this.#isFailing = true;
      throw notReady('STORE_UNAVAILABLE', 'The store does not answer.');
    }
    if (this.#isFailing) this.#options.logger.info('the store answers again');
    this.#isFailing = false;
  }

  async #checkInTime(): Promise<void> {
    const { timeout = CHECK_TIMEOUT } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = new Error(`The store has not answered within ${timeout} ms.`);
      timer = setTimeout(() => reject(error), timeout);
    });
    try {
      await Promise.race([this.#shareCheck(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Asks the store once at a time, however many ask this. */
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
