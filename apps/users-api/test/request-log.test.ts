import { createApp, errorHandler } from '@fairlead/core';
import { logErrors, logRequests } from '@fairlead/pino';
import { describe, expect, it } from 'vitest';
import { ADA, clientOf, startService } from './support/api.js';
import { captureLog } from './support/log.js';
import { STORES } from './support/stores.js';

describe('the request log', () => {
  it('has the method, path, route, status, duration and ID, but not the query', async () => {
    const { logger, lines } = captureLog();
    const url = await startService({ logger });
    const { send, sendJson } = clientOf(`${url}/api/users`);
    const created = await sendJson('POST', '?secret=1', ADA);
    await send('GET', '/nobody?secret=1');
    await send('PATCH', '/nobody');
    await fetch(`${url}/elsewhere`);
    await lines.first('request', 4);
    const common = { level: 'info', duration: expect.any(Number), requestId: expect.any(String) };
    expect(lines.all).toEqual(
      [
        { method: 'POST', path: '/api/users', route: '/api/users', status: 201 },
        {
          method: 'GET',
          path: '/api/users/nobody',
          route: '/api/users/:id',
          status: 404,
          code: 'NOT_FOUND',
        },
        { method: 'PATCH', path: '/api/users/nobody', status: 405, code: 'METHOD_NOT_ALLOWED' },
        { method: 'GET', path: '/elsewhere', status: 404, code: 'NOT_FOUND' },
      ].map((line) => expect.objectContaining({ ...common, ...line })),
    );
    expect(lines.all[0]?.requestId).toBe(created.headers.get('x-request-id'));
    expect(JSON.stringify(lines.all)).not.toContain('secret');
  });

  it('contains no data that users sent', async () => {
    const { logger, lines } = captureLog('info');
    const { send, sendJson } = clientOf(`${await startService({ logger })}/api/users`);
    await sendJson('POST', '', ADA);
    await sendJson('POST', '', { ...ADA, email: 1 });
    await send('POST', '', { body: `{"name":"${ADA.name}`, headers: { 'content-type': 'text/x' } });
    await lines.first('request', 3);
    expect(JSON.stringify(lines.all)).not.toMatch(/Ada|example\.com|text\/x/);
  });

  it('has one error line with the cause for a status of 500 or above', async () => {
    const { logger, lines } = captureLog();
    const store = await STORES.memory();
    const url = await startService({ store, logger });
    await store.close();
    await fetch(`${url}/api/users`);
    await lines.first('request', 1);
    expect(lines.all).toMatchObject([
      { level: 'error', status: 500, err: { code: 'STORE_CLOSED', stack: expect.any(String) } },
    ]);
  });

  it.each(['/health/live', '/health/ready', '/metrics'])('has %s at level debug', async (path) => {
    const { logger, lines } = captureLog();
    await fetch(`${await startService({ logger, config: { METRICS: true } })}${path}`);
    expect(await lines.first('request', 1)).toMatchObject([{ level: 'debug', route: path }]);
  });
});

describe('an error after the end of a request', () => {
  it('has a line of its own with the ID of the request', async () => {
    const { logger, lines } = captureLog();
    const late = () => {
      throw new Error('Late.');
    };
    const app = createApp()
      .use(errorHandler({ onError: logErrors(logger) }), logRequests(logger))
      .get('/', (ctx) => {
        ctx.state.requestId = '7';
        ctx.onFinish(late);
        return 'hello';
      });
    await (await app.request('/')).text();
    expect(await lines.first('request failed', 1)).toMatchObject([
      { level: 'error', requestId: '7', err: { message: 'Late.' } },
    ]);
    expect(await lines.first('request', 1)).toMatchObject([{ level: 'info', status: 200 }]);
  });
});

describe('the request ID', () => {
  it('is new even if the request sends one', async () => {
    const headers = { 'X-Request-Id': 'mine' };
    const response = await fetch(`${await startService()}/health/live`, { headers });
    expect(response.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
  });

  it('comes from the request if a header of a proxy is configured', async () => {
    const { logger, lines } = captureLog();
    const url = await startService({ logger, config: { REQUEST_ID_HEADER: 'X-Trace' } });
    const response = await fetch(`${url}/health/live`, { headers: { 'X-Trace': 'abc-1' } });
    expect(response.headers.get('x-trace')).toBe('abc-1');
    expect(await lines.first('request', 1)).toMatchObject([{ requestId: 'abc-1' }]);
  });
});
