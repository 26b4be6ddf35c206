import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { User } from '../src/users/user.js';
import { type Api, bodyOf, openApi, shareApi, WIRE_APIS } from './support/api.js';

async function fill({ create }: Api, count: number): Promise<User[]> {
  const users: User[] = [];
  for (let n = 1; n <= count; n += 1) {
    users.push(await create({ name: `User ${n}`, email: `${n}@example.com` }));
  }
  return users;
}

describe.each(WIRE_APIS)('the list of the $variant API over the $store store', (which) => {
  const sharedApi = shareApi(which);
  let filling: Promise<User[]> | undefined;

  /** A service with 12 users, for tests that only read. */
  async function filledApi(): Promise<{ api: Api; users: User[] }> {
    const api = await sharedApi();
    filling ??= fill(api, 12);
    return { api, users: await filling };
  }

  it('is empty at first', async () => {
    const { send } = await openApi(which);
    const response = await send('GET');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ data: [], total: 0 });
  });

  it('holds every user in creation order, and their count, without page and limit', async () => {
    const { api, users } = await filledApi();
    expect(await (await api.send('GET')).json()).toEqual({ data: users, total: 12 });
    expect(await (await api.send('GET', '/?sort=name')).json()).toEqual({ data: users, total: 12 });
  });

  it.each([
    { query: 'page=1', from: 0, to: 10, page: 1, limit: 10 },
    { query: 'page=2', from: 10, to: 12, page: 2, limit: 10 },
    { query: 'limit=5', from: 0, to: 5, page: 1, limit: 5 },
    { query: 'page=2&limit=5', from: 5, to: 10, page: 2, limit: 5 },
    { query: 'page=9&limit=5', from: 12, to: 12, page: 9, limit: 5 },
    { query: 'page=2.9&limit=5.5', from: 5, to: 10, page: 2, limit: 5 },
    { query: 'page=1e300&limit=1e300', from: 12, to: 12, page: 1e300, limit: 1e300 },
    { query: 'page=zero&limit=many', from: 0, to: 10, page: 1, limit: 10 },
    { query: 'page=0&limit=0', from: 0, to: 10, page: 1, limit: 10 },
    { query: 'page=-2&limit=-3', from: 0, to: 10, page: 1, limit: 10 },
    { query: 'page=&limit=', from: 0, to: 10, page: 1, limit: 10 },
    { query: 'page=2&page=1&limit=5', from: 5, to: 10, page: 2, limit: 5 },
  ])('for ?$query is page $page with a limit of $limit', async ({ query, from, to, ...meta }) => {
    const { api, users } = await filledApi();
    const response = await api.send('GET', `?${query}`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      data: users.slice(from, to),
      meta: { total: 12, ...meta },
    });
  });

  it('has pages that, put together, are the list', async () => {
    const { api, users } = await filledApi();
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 15 }), async (limit) => {
        const numbers = Array.from({ length: Math.ceil(12 / limit) }, (_, index) => index + 1);
        const pages = await Promise.all(
          numbers.map(async (page) =>
            bodyOf<{ data: User[] }>(await api.send('GET', `?page=${page}&limit=${limit}`)),
          ),
        );
        expect(pages.flatMap((page) => page.data)).toEqual(users);
      }),
      { numRuns: 20 },
    );
  });
});
