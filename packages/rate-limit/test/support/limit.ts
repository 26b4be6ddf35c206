import { type Application, createApp, errorHandler } from '@fairlead/core';
import { type RateLimitOptions, rateLimit } from '../../src/index.js';

/** Makes an application with a limit. */
export function create(options: RateLimitOptions): Application {
  return createApp().use(errorHandler(), rateLimit(options), (ctx) => ctx.send('hello'));
}

/** The status and the headers of a limit. */
export function limitOf({ status, headers }: Response) {
  return {
    status,
    policy: headers.get('RateLimit-Policy'),
    limit: headers.get('RateLimit'),
    retry: headers.get('Retry-After'),
  };
}
