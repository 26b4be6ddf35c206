import { describe, expect, it } from 'vitest';
import { ADA, bodyOf, clientOf, startService } from './support/api.js';
import { STORES } from './support/stores.js';

describe('the application', () => {
  it('serves both variants over one store', async () => {
    const url = await startService();
    const ada = await clientOf(`${url}/api/users`).create();
    const response = await clientOf(`${url}/api/v1/users`).send('GET', `/${ada.id}`);
    expect(await response.json()).toEqual({ data: ada });
  });

  it('keeps the stores of two applications in one process apart', async () => {
    const [one, other] = [await startService(), await startService()];
    await clientOf(`${one}/api/v1/users`).create();
    const response = await clientOf(`${other}/api/v1/users`).send('GET');
    expect(await response.json()).toEqual({ data: [], total: 0 });
  });

  it.each(['/', '/api', '/users', '/api/usersx', '/api/v2/users'])(
    'answers %s, which no route matches, with a 404 problem',
    async (path) => {
      const response = await fetch(`${await startService()}${path}`);
      expect(response.status).toBe(404);
      expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json\b/);
      expect(await response.json()).toMatchObject({ status: 404, instance: path });
    },
  );

  it('answers a failing store with a generic 500 and hands the error to onError', async () => {
    const errors: unknown[] = [];
    const store = STORES.memory();
    const url = await startService({ store, onError: (error) => errors.push(error) });
    await store.close();
    for (const mount of ['/api/users', '/api/v1/users']) {
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
    expect(errors).toEqual(
      Array.from({ length: 2 }, () => expect.objectContaining({ code: 'STORE_CLOSED' })),
    );
  });

  it.each([
    [true, expect.stringContaining('User nobody not found')],
    [false, undefined],
  ])('with includeStack %s has the stack %s in an error answer', async (includeStack, stack) => {
    const response = await fetch(`${await startService({ includeStack })}/api/users/nobody`);
    expect((await bodyOf<{ stack?: string }>(response)).stack).toEqual(stack);
  });

  it('logs method, path, status and duration of each request', async () => {
    const lines: string[] = [];
    const url = await startService({ log: (line) => lines.push(line) });
    const { send, sendJson } = clientOf(`${url}/api/users`);
    await sendJson('POST', '', ADA);
    await send('GET', '/nobody?x=1');
    await send('PATCH', '/nobody');
    await fetch(`${url}/elsewhere`);
    expect(lines).toEqual([
      expect.stringMatching(/^POST \/api\/users 201 \d+\.\d ms$/),
      expect.stringMatching(/^GET \/api\/users\/nobody 404 \d+\.\d ms$/),
      expect.stringMatching(/^PATCH \/api\/users\/nobody 405 \d+\.\d ms$/),
      expect.stringMatching(/^GET \/elsewhere 404 \d+\.\d ms$/),
    ]);
  });
});
