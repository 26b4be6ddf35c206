import { type Application, createApp, errorHandler } from '@fairlead/core';
import { type RateLimitOptions, rateLimit } from '../../src/index.js';

/** Creates an application with a rate limit. */
export function create(options: RateLimitOptions): Application {
  return createApp().use(errorHandler(), rateLimit(options), (ctx) => ctx.send('hello'));
}

/** Returns the status and the rate limit headers of a response. */
export function limitOf({ status, headers }: Response) {
  return {
    status,
    policy: headers.get('RateLimit-Policy'),
    limit: headers.get('RateLimit'),
    retry: headers.get('Retry-After'),
  };
}
