// #if !auth
import { createHash, timingSafeEqual } from 'node:crypto';
import type { CanActivate, GuardContext } from '@fairlead/controllers';
import { UnauthorizedError } from '@fairlead/core';
import { describe } from '@fairlead/core/extend';
import { Config } from './config.ts';

/** A guard that allows requests with the API key as a bearer token. */
export class ApiKeyGuard implements CanActivate {
  static readonly inject = [Config] as const;

  readonly #expected: Buffer;

  constructor(config: Config) {
    this.#expected = hash(config.API_KEY);
  }

  canActivate(ctx: GuardContext): boolean {
    const [, key = ''] = /^Bearer (.+)$/i.exec(ctx.get('Authorization') ?? '') ?? [];
    if (timingSafeEqual(hash(key), this.#expected)) return true;
    throw new UnauthorizedError('Send the API key as a bearer token.', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
}

// It decides who may call a route, as createApp({ access: 'declared' }) demands.
describe(ApiKeyGuard, {
  role: 'guard',
  security: { name: 'apiKey', scheme: { type: 'http', scheme: 'bearer' } },
});

/** Keys of any length have hashes of one length, which take the same time to compare. */
function hash(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
// #endif
