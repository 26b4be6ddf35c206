import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { User } from '../src/users/user.js';
import { ADA } from './support/api.js';
import { CONTRACT_NAMES, listAll, STORES } from './support/stores.js';

describe.each(CONTRACT_NAMES)('%s store, in batches', (kind) => {
  const open = STORES[kind];

  it('lists any range in non-empty batches', async () => {
    const store = await open();
    const users = await Promise.all(Array.from({ length: 250 }, () => store.create(ADA)));
    expect(await listAll(store)).toEqual(users);
    const offset = fc.integer({ min: 0, max: 260 });
    const limit = fc.oneof(fc.integer({ min: 1, max: 260 }), fc.constant(Number.MAX_SAFE_INTEGER));
    await fc.assert(
      fc.asyncProperty(offset, limit, async (from, count) => {
        const batches = await Array.fromAsync(store.list({ offset: from, limit: count }));
        expect(batches.flat()).toEqual(users.slice(from, from + count));
        expect(batches.every(({ length }) => length > 0 && length <= 100)).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it('ends and lists each remaining user once while others are created and deleted', async () => {
    const store = await open();
    const users = await Promise.all(Array.from({ length: 350 }, () => store.create(ADA)));
    const listed: User[] = [];
    for await (const batch of store.list()) {
      listed.push(...batch);
      await store.delete(users[listed.length - 2]?.id ?? '');
      await store.delete(users[listed.length + 1]?.id ?? '');
      await Promise.all(Array.from({ length: 150 }, () => store.create(ADA)));
    }
    const ids = new Set(listed.map(({ id }) => id));
    const stayed = new Set((await listAll(store)).map(({ id }) => id));
    expect(ids.size).toBe(listed.length);
    expect(users.filter(({ id }) => stayed.has(id) && !ids.has(id))).toEqual([]);
    expect(listed.length).toBeLessThanOrEqual(350);
  });

  it('returns only the first batch of a page with many users', async () => {
    const store = await open();
    const users = await Promise.all(Array.from({ length: 204 }, () => store.create(ADA)));
    expect(await store.page({ offset: 4, limit: 200 })).toEqual({
      users: users.slice(4, 104),
      total: 204,
    });
  });
});
