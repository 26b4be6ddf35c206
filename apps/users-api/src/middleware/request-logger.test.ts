import { createApp, errorHandler, type Middleware, NotFoundError } from '@fairlead/core';
import { describe, expect, it } from 'vitest';
import { requestLogger } from './request-logger.js';

/** Answers one request to `/a%20b` by `handler` and returns the lines that were logged. */
async function logOf(handler: Middleware) {
  const lines: string[] = [];
  const times = [100, 107.25];
  const app = createApp();
  app.use(errorHandler({ onError: () => {} }));
  app.use(
    requestLogger(
      (line) => lines.push(line),
      () => times.shift() ?? 0,
    ),
  );
  app.use(handler);
  await app.request('/a%20b?secret=1');
  return lines;
}

describe('requestLogger', () => {
  it('logs method, path without query, status and elapsed milliseconds', async () => {
    const lines = await logOf((ctx) => {
      ctx.status = 202;
    });
    expect(lines).toEqual(['GET /a%20b 202 7.3 ms']);
  });

  it('logs the status of an HttpError that passes through', async () => {
    const lines = await logOf(() => {
      throw new NotFoundError();
    });
    expect(lines).toEqual(['GET /a%20b 404 7.3 ms']);
  });

  it('logs 500 for any other error', async () => {
    const lines = await logOf(async () => {
      throw new TypeError('broken');
    });
    expect(lines).toEqual(['GET /a%20b 500 7.3 ms']);
  });
});
