import { describe, expect, it } from 'vitest';
import { MemoryUserStore } from '../src/users/store/memory.js';
import { bodyOf, clientOf, startService } from './support/api.js';
import { captureLog } from './support/log.js';
import { STORES } from './support/stores.js';

describe('the application', () => {
  it('serves all variants from one store', async () => {
    const url = await startService();
    const ada = await clientOf(`${url}/api/users`).create();
    for (const mount of ['/api/v1/users', '/api/v2/users']) {
      const response = await clientOf(`${url}${mount}`).send('GET', `/${ada.id}`);
      expect(await response.json()).toEqual({ data: ada });
    }
  });

  it('keeps the stores of two applications in one process separate', async () => {
    const [one, other] = [await startService(), await startService()];
    await clientOf(`${one}/api/v1/users`).create();
    const response = await clientOf(`${other}/api/v1/users`).send('GET');
    expect(await response.json()).toEqual({ data: [], total: 0 });
  });

  it.each(['/', '/api', '/users', '/api/usersx', '/api/v3/users'])(
    'responds with a 404 problem to %s, which matches no route',
    async (path) => {
      const response = await fetch(`${await startService()}${path}`);
      expect(response.status).toBe(404);
      expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json\b/);
      expect(await response.json()).toMatchObject({ status: 404, instance: path });
    },
  );

  it('responds with a generic 500 when the store fails, and logs the error', async () => {
    const { logger, lines } = captureLog();
    const store = await STORES.memory();
    const url = await startService({ store, logger });
    await store.close();
    for (const mount of ['/api/users', '/api/v1/users', '/api/v2/users']) {
      const response = await fetch(`${url}${mount}`);
      expect(response.status).toBe(500);
      expect(await response.json()).toEqual({
        type: 'about:blank',
        title: 'Internal Server Error',
        status: 500,
        detail: 'Internal Server Error',
        instance: mount,
        code: 'INTERNAL_SERVER_ERROR',
        error: 'Internal Server Error',
      });
    }
    const failed = await lines.first('request', 2);
    expect(failed).toEqual(
      Array.from({ length: 2 }, () =>
        expect.objectContaining({
          level: 'error',
          requestId: expect.any(String),
          err: expect.objectContaining({ code: 'STORE_CLOSED' }),
        }),
      ),
    );
  });

  it.each([
    [true, expect.stringContaining('User nobody not found')],
    [false, undefined],
  ])(
    'with includeStack %s sends the stack %s in an error response',
    async (includeStack, stack) => {
      const response = await fetch(
        `${await startService({ config: { includeStack } })}/api/users/nobody`,
      );
      expect((await bodyOf<{ stack?: string }>(response)).stack).toEqual(stack);
    },
  );

  it.each([
    [true, 500],
    [false, 200],
  ])(
    'with checkResponses %s responds with %i to a user that does not match its schema',
    async (checkResponses, status) => {
      const user = { id: '7', name: 'Ada', email: '', createdAt: 'then', updatedAt: 'now' };
      const store = Object.assign(new MemoryUserStore(), { find: () => user });
      const url = await startService({ store, config: { checkResponses } });
      for (const mount of ['/api/users', '/api/v1/users', '/api/v2/users']) {
        expect((await fetch(`${url}${mount}/7`)).status).toBe(status);
      }
    },
  );
});
