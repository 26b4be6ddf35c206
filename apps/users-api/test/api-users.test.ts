import { describe, expect, it } from 'vitest';
import type { User } from '../src/users/user.js';
import { ADA, APIS, bodyOf, openApi } from './support/api.js';

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe.each(APIS)('the $variant API over the $store store', (api) => {
  describe('POST on the collection', () => {
    it('responds with 201, the created user and its Location', async () => {
      const { sendJson } = await openApi(api);
      const response = await sendJson('POST', '', ADA);
      const { data, ...rest } = await bodyOf<{ data: User }>(response);
      expect(response.status).toBe(201);
      expect(response.headers.get('content-type')).toMatch(/^application\/json\b/);
      expect(response.headers.get('location')).toBe(`${api.mount}/${data.id}`);
      expect(rest).toEqual({});
      expect(data).toEqual({
        ...ADA,
        id: expect.stringMatching(UUID),
        createdAt: expect.stringMatching(ISO),
        updatedAt: data.createdAt,
      });
    });

    it('sends a working Location, even for a path with a trailing slash', async () => {
      const { send, sendJson } = await openApi(api);
      const created = await sendJson('POST', '/', ADA);
      const location = created.headers.get('location') ?? '';
      expect(location.startsWith(`${api.mount}/`)).toBe(true);
      const found = await send('GET', location.slice(api.mount.length));
      expect(await found.json()).toEqual(await created.json());
    });

    it('ignores an id, timestamps and unknown fields from the client', async () => {
      const { sendJson } = await openApi(api);
      const times = {
        createdAt: '1999-01-01T00:00:00.000Z',
        updatedAt: '1999-01-01T00:00:00.000Z',
      };
      const response = await sendJson('POST', '', { ...ADA, ...times, id: 'mine', role: 'admin' });
      const { data } = await bodyOf<{ data: User }>(response);
      expect(Object.keys(data).toSorted()).toEqual([
        'createdAt',
        'email',
        'id',
        'name',
        'updatedAt',
      ]);
      expect(data.id).toMatch(UUID);
      expect(data.createdAt).not.toBe(times.createdAt);
    });

    it('allows two users with the same email', async () => {
      const { create, send } = await openApi(api);
      const users = [await create(), await create()];
      expect(await (await send('GET')).json()).toEqual({ data: users, total: 2 });
    });
  });

  describe('GET on a user', () => {
    it('responds with 200 and the single-user envelope', async () => {
      const { create, send } = await openApi(api);
      const ada = await create();
      const response = await send('GET', `/${ada.id}`);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toMatch(/^application\/json\b/);
      expect(await response.json()).toEqual({ data: ada });
    });

    it('responds to HEAD with the same headers and no body', async () => {
      const { create, send } = await openApi(api);
      const ada = await create();
      const [get, head] = [await send('GET', `/${ada.id}`), await send('HEAD', `/${ada.id}`)];
      expect(head.status).toBe(200);
      expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
      expect(await head.text()).toBe('');
    });
  });

  describe('PUT on a user', () => {
    it('merges the supplied fields and responds with 200 and the updated user', async () => {
      const { create, send, sendJson } = await openApi(api);
      const ada = await create();
      const response = await sendJson('PUT', `/${ada.id}`, { name: 'Ada L.' });
      const updated = { data: { ...ada, name: 'Ada L.', updatedAt: expect.stringMatching(ISO) } };
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual(updated);
      expect(await (await send('GET', `/${ada.id}`)).json()).toEqual(updated);
    });

    it('never moves updatedAt backwards', async () => {
      const { create, sendJson } = await openApi(api);
      const ada = await create();
      const { data } = await bodyOf<{ data: User }>(await sendJson('PUT', `/${ada.id}`, {}));
      expect([data.updatedAt, ada.updatedAt].toSorted()[0]).toBe(ada.updatedAt);
      expect(data.createdAt).toBe(ada.createdAt);
    });

    it('does not validate the values and accepts an empty string', async () => {
      const { create, sendJson } = await openApi(api);
      const ada = await create();
      const response = await sendJson('PUT', `/${ada.id}`, { name: '', email: 'not an address' });
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ data: { name: '', email: 'not an address' } });
    });

    it('ignores an id, timestamps and unknown fields', async () => {
      const { create, sendJson } = await openApi(api);
      const ada = await create();
      const body = { id: 'mine', createdAt: 'then', updatedAt: 'then', role: 'admin' };
      const { data } = await bodyOf<{ data: User }>(await sendJson('PUT', `/${ada.id}`, body));
      expect(data).toEqual({ ...ada, updatedAt: expect.stringMatching(ISO) });
    });
  });

  describe('DELETE on a user', () => {
    it('removes the user', async () => {
      const { create, send } = await openApi(api);
      const [ada, grace] = [
        await create(),
        await create({ name: 'Grace', email: 'g@example.com' }),
      ];
      expect((await send('DELETE', `/${ada.id}`)).ok).toBe(true);
      expect((await send('GET', `/${ada.id}`)).status).toBe(404);
      expect(await (await send('GET')).json()).toEqual({ data: [grace], total: 1 });
    });

    it('succeeds once when several clients delete the same user', async () => {
      const { create, send } = await openApi(api);
      const ada = await create();
      const responses = await Promise.all([1, 2, 3].map(() => send('DELETE', `/${ada.id}`)));
      expect(responses.map((response) => response.ok).toSorted()).toEqual([false, false, true]);
    });
  });
});

describe.each(APIS.filter(({ variant }) => variant === 'functional'))(
  'the functional API over the $store store',
  (api) => {
    it('responds to DELETE with 204 and an empty body', async () => {
      const { create, send } = await openApi(api);
      const response = await send('DELETE', `/${(await create()).id}`);
      expect(response.status).toBe(204);
      expect(response.headers.get('content-length')).toBeNull();
      expect(await response.text()).toBe('');
    });
  },
);

describe.each(APIS.filter(({ variant }) => variant !== 'functional'))(
  'the $variant API over the $store store',
  (api) => {
    it('responds to DELETE with 200 and success', async () => {
      const { create, send } = await openApi(api);
      const response = await send('DELETE', `/${(await create()).id}`);
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ success: true });
    });
  },
);
