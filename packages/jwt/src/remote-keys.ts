import { ServiceUnavailableError } from '@fairlead/core';
import {
  fn,
  type Kinds,
  milliseconds,
  positiveMilliseconds,
  printable,
  reporterOf,
} from '@fairlead/options';
import {
  createLocalJWKSet,
  errors,
  type JSONWebKeySet,
  type JWK,
  type JWTVerifyGetKey,
} from 'jose';
import { assertUsable } from './algorithms.js';

/** How to fetch a JSON Web Key Set. */
export interface RemoteKeysOptions {
  /** Milliseconds until a fetch fails: a whole number of at least 1. Default 5,000. */
  readonly timeout?: number;
  /** Milliseconds between the starts of two fetches, whether they succeed or fail. Default 10,000. */
  readonly cooldown?: number;
  /** Milliseconds after which keys are fetched again. Default 600,000 (10 minutes). */
  readonly lifetime?: number;
  /**
   * Milliseconds after `lifetime` for which the last keys are used while fetching fails. Default 3,600,000
   * (1 hour).
   */
  readonly maxStale?: number;
  /**
   * Called with an error when a fetch fails, and for each fetched key that is private, malformed or too weak, and
   * therefore ignored. Default: logs with `console.error`.
   */
  readonly onError?: (error: unknown) => void;
}

export const REMOTE_KEYS_OPTIONS: Kinds<RemoteKeysOptions> = {
  timeout: positiveMilliseconds,
  cooldown: milliseconds,
  lifetime: milliseconds,
  maxStale: milliseconds,
  onError: fn,
};

/** The largest key set, in bytes. */
const MAX_SIZE = 1_048_576;

/** The keys of an issuer, fetched when a token needs them. */
export class RemoteKeys {
  readonly #url: URL;
  readonly #options: Required<RemoteKeysOptions>;
  #keys: JWTVerifyGetKey | undefined = undefined;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #startedAt = Number.NEGATIVE_INFINITY;
  /** The error of the last fetch; undefined if it succeeded. */
  #failure: unknown = undefined;
  #pending: Promise<void> | undefined = undefined;

  constructor(url: URL, options: RemoteKeysOptions) {
    const { timeout = 5_000, cooldown = 10_000, lifetime = 600_000 } = options;
    const { maxStale = 3_600_000, onError = (error) => logFailure(url, error) } = options;
    this.#url = url;
    const report = reporterOf('onError of jwks', onError);
    this.#options = { timeout, cooldown, lifetime, maxStale, onError: report };
  }

  /**
   * Finds the key for a token. Fetches the keys when they are old, or none matches.
   *
   * @throws {ServiceUnavailableError} 503, when the keys are needed and cannot be fetched.
   * @throws {errors.JOSEError} When the current keys of the issuer do not match.
   */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    if (this.#age() >= this.#options.lifetime) {
      const refreshed = this.#refresh();
      // While the issuer fails, no request waits for it as long as there are keys.
      if (this.#failure === undefined || !this.#isUsable()) await refreshed;
    }
    try {
      return await this.#current()(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await this.#refresh();
      // The token may have a new key, so it must not count as invalid.
      if (this.#failure !== undefined) throw this.#unavailable();
      return this.#current()(header, token);
    }
  };

  /** @throws {ServiceUnavailableError} 503, when no keys were fetched, or they are too old. */
  #current(): JWTVerifyGetKey {
    if (this.#keys === undefined || !this.#isUsable()) throw this.#unavailable();
    return this.#keys;
  }

  #age(): number {
    return performance.now() - this.#fetchedAt;
  }

  #isUsable(): boolean {
    return this.#age() < this.#options.lifetime + this.#options.maxStale;
  }

  /** Fetches the keys, unless the last fetch has just begun. Concurrent callers share a fetch. */
  async #refresh(): Promise<void> {
    if (this.#pending === undefined && this.#msUntilNext() <= 0) {
      this.#startedAt = performance.now();
      this.#pending = this.#fetch().finally(() => {
        this.#pending = undefined;
      });
    }
    await this.#pending;
  }

  #msUntilNext(): number {
    return this.#startedAt + this.#options.cooldown - performance.now();
  }

  /** Never rejects. */
  async #fetch(): Promise<void> {
    const { timeout, onError } = this.#options;
    try {
      const response = await fetch(this.#url, {
        headers: { Accept: 'application/jwk-set+json, application/json' },
        redirect: 'error',
        signal: AbortSignal.timeout(timeout),
      });
      const { keys, problems } = readKeys(JSON.parse(await readBody(response)));
      this.#keys = createLocalJWKSet({ keys });
      this.#fetchedAt = performance.now();
      this.#failure = undefined;
      for (const problem of problems) onError(problem);
    } catch (error) {
      this.#failure = error;
      onError(error);
    }
  }

  #unavailable(): ServiceUnavailableError {
    return new ServiceUnavailableError(
      'Cannot verify tokens: the keys of the issuer are missing.',
      {
        code: 'JWKS_UNAVAILABLE',
        cause: this.#failure,
        // onError was called once for the fetch.
        report: false,
        retryAfter: Math.max(1, this.#msUntilNext() / 1_000),
      },
    );
  }
}

/**
 * Separates the keys of a set from those that cannot be used.
 *
 * @throws {Error} When none is left, or the set is malformed.
 */
function readKeys(given: JSONWebKeySet): { readonly keys: JWK[]; readonly problems: Error[] } {
  const set = createLocalJWKSet(given).jwks();
  const problems: Error[] = [];
  const keys = set.keys.filter((key, index) => {
    try {
      assertUsable(key, `keys[${index}]`);
      return true;
    } catch (cause) {
      const { message } = cause as Error;
      problems.push(new Error(`The key set has ${message}`, { cause }));
      return false;
    }
  });
  if (keys.length === 0) throw problems[0] ?? new Error('The key set is empty.');
  return { keys, problems };
}

/** Reads a body of limited size. */
async function readBody(response: Response): Promise<string> {
  const { status, body } = response;
  if (status !== 200 || body === null) {
    await body?.cancel();
    throw new Error(`The issuer responded with status ${status} instead of 200.`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_SIZE) throw new Error(`The key set is larger than ${MAX_SIZE} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function logFailure(url: URL, error: unknown): void {
  console.error(`A problem with the keys from ${url.origin}${url.pathname}:`, printable(error));
}
