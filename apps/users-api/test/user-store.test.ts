import { cases, codePoint } from '@fairlead/test-support/properties';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { UserStore } from '../src/users/store/user-store.js';
import type { User } from '../src/users/user.js';
import { CONTRACT_NAMES, listAll, STORES } from './support/stores.js';

const ADA = { name: 'Ada', email: 'ada@example.com' };
const NOON = Date.UTC(2030, 0, 2, 12);

async function fill(store: UserStore, count: number): Promise<User[]> {
  const users: User[] = [];
  for (let n = 1; n <= count; n += 1) {
    users.push(await store.create({ name: `User ${n}`, email: `${n}@example.com` }));
  }
  return users;
}

describe.each(CONTRACT_NAMES)('the %s store', (name) => {
  const open = STORES[name];

  it('starts empty', async () => {
    const store = await open();
    expect(await listAll(store)).toEqual([]);
    expect(await store.page({ offset: 0, limit: 10 })).toEqual({ users: [], total: 0 });
  });

  it('creates a user with an ID and the same time in both timestamps', async () => {
    const store = await open(() => NOON);
    expect(await store.create(ADA)).toEqual({
      ...ADA,
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      createdAt: '2030-01-02T12:00:00.000Z',
      updatedAt: '2030-01-02T12:00:00.000Z',
    });
  });

  it('finds a user by its ID and nothing by any other ID', async () => {
    const store = await open();
    const ada = await store.create(ADA);
    expect(await store.find(ada.id)).toEqual(ada);
    expect(await store.find('nobody')).toBeUndefined();
    expect(await store.find('')).toBeUndefined();
    expect(await store.find('__proto__')).toBeUndefined();
  });

  it('allows several users with the same email', async () => {
    const store = await open();
    const first = await store.create(ADA);
    const second = await store.create(ADA);
    expect(await listAll(store)).toEqual([first, second]);
  });

  it('lists users in creation order, even after updates and deletes', async () => {
    const store = await open();
    const [first, second, third] = await fill(store, 3);
    await store.update(first?.id ?? '', { name: 'Last changed' });
    await store.delete(third?.id ?? '');
    const fourth = await store.create(ADA);
    const ids = (await listAll(store)).map((user) => user.id);
    expect(ids).toEqual([first?.id, second?.id, fourth.id]);
  });

  it('matches IDs exactly', async () => {
    const store = await open();
    const { id } = await store.create(ADA);
    for (const other of [
      id.toUpperCase(),
      `{${id}}`,
      id.replaceAll('-', ''),
      ` ${id}`,
      `${id}\0`,
    ]) {
      expect(await store.find(other)).toBeUndefined();
      expect(await store.update(other, { name: 'X' })).toBeUndefined();
      expect(await store.delete(other)).toBe(false);
    }
    expect(await store.find(id)).toMatchObject(ADA);
  });

  it('passes a check while it is open and fails it after closing', async () => {
    const store = await open();
    await store.check();
    await store.close();
    await expect((async () => store.check())()).rejects.toMatchObject({ code: 'STORE_CLOSED' });
  });

  it('returns a page and the total number of users', async () => {
    const store = await open();
    const users = await fill(store, 5);
    expect(await store.page({ offset: 0, limit: 2 })).toEqual({
      users: users.slice(0, 2),
      total: 5,
    });
    expect(await store.page({ offset: 4, limit: 2 })).toEqual({
      users: users.slice(4),
      total: 5,
    });
  });

  it('returns an empty page past the end, up to the largest safe integer', async () => {
    const store = await open();
    await fill(store, 2);
    const far = { offset: Number.MAX_SAFE_INTEGER, limit: Number.MAX_SAFE_INTEGER };
    expect(await store.page({ offset: 2, limit: 1 })).toEqual({ users: [], total: 2 });
    expect(await store.page(far)).toEqual({ users: [], total: 2 });
  });

  it('updates the supplied fields and updatedAt and keeps the rest', async () => {
    let now = NOON;
    const store = await open(() => now);
    const ada = await store.create(ADA);
    now += 1_500;
    const updated = { ...ada, name: 'Ada L.', updatedAt: '2030-01-02T12:00:01.500Z' };
    expect(await store.update(ada.id, { name: 'Ada L.' })).toEqual(updated);
    expect(await store.find(ada.id)).toEqual(updated);
  });

  it('refreshes updatedAt on an update without changes', async () => {
    let now = NOON;
    const store = await open(() => now);
    const ada = await store.create(ADA);
    now += 1;
    expect(await store.update(ada.id, {})).toEqual({
      ...ada,
      updatedAt: '2030-01-02T12:00:00.001Z',
    });
  });

  it('never moves updatedAt backwards', async () => {
    let now = NOON;
    const store = await open(() => now);
    const ada = await store.create(ADA);
    now -= 86_400_000;
    expect(await store.update(ada.id, { email: '' })).toEqual({ ...ada, email: '' });
  });

  it('updates nothing for an unknown ID', async () => {
    const store = await open();
    const ada = await store.create(ADA);
    expect(await store.update('nobody', { name: 'X' })).toBeUndefined();
    expect(await listAll(store)).toEqual([ada]);
  });

  it('deletes a user only once', async () => {
    const store = await open();
    const ada = await store.create(ADA);
    const results = await Promise.all([1, 2, 3].map(() => store.delete(ada.id)));
    expect(results.toSorted()).toEqual([false, false, true]);
    expect(await store.find(ada.id)).toBeUndefined();
    expect(await listAll(store)).toEqual([]);
  });

  it('updates and deletes a user only while it equals the expected one', async () => {
    let now = NOON;
    const store = await open(() => now);
    const ada = await store.create(ADA);
    now += 1;
    const outdated = [{ name: 'X' }, { email: 'X' }, { updatedAt: '2030-01-02T12:00:00.001Z' }];
    for (const difference of outdated) {
      const expected = { ...ada, ...difference };
      expect(await store.update(ada.id, { name: 'Grace' }, expected)).toBeUndefined();
      expect(await store.delete(ada.id, expected)).toBe(false);
      expect(await store.find(ada.id)).toEqual(ada);
    }
    const grace = await store.update(ada.id, { name: 'Grace' }, { ...ada });
    expect(grace).toEqual({ ...ada, name: 'Grace', updatedAt: '2030-01-02T12:00:00.001Z' });
    expect(await store.delete(ada.id, ada)).toBe(false);
    expect(await store.delete(ada.id, { ...ada, ...grace })).toBe(true);
    expect(await store.update(ada.id, {}, { ...ada, ...grace })).toBeUndefined();
  });

  it('makes one of several updates and deletes that expect the same user', async () => {
    let now = NOON;
    const store = await open(() => now++);
    const ada = await store.create(ADA);
    const updates = await Promise.all(
      ['B', 'C', 'D'].map((name) => store.update(ada.id, { name }, ada)),
    );
    const [updated, ...others] = updates.filter((user) => user !== undefined);
    expect(others).toEqual([]);
    expect(await store.find(ada.id)).toEqual(updated);
    const deletes = await Promise.all([1, 2, 3].map(() => store.delete(ada.id, updated)));
    expect(deletes.toSorted()).toEqual([false, false, true]);
  });

  it('does not let callers change its users', async () => {
    const store = await open();
    const ada = await store.create(ADA);
    for (const user of [ada, await store.find(ada.id), ...(await listAll(store))]) {
      Reflect.set(user ?? {}, 'name', 'Mallory');
    }
    expect(await store.find(ada.id)).toMatchObject(ADA);
  });

  it('rejects calls after it is closed and can be closed twice', async () => {
    const store = await open();
    await store.close();
    await store.close();
    await expect((async () => listAll(store))()).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    await expect((async () => store.create(ADA))()).rejects.toMatchObject({ code: 'STORE_CLOSED' });
  });

  it('returns any well-formed Unicode text without U+0000 unchanged', async () => {
    const store = await open();
    const text = fc
      .string({ unit: codePoint })
      .map((raw) => raw.toWellFormed().replaceAll('\0', ''));
    await fc.assert(
      fc.asyncProperty(text, text, async (userName, email) => {
        const { id } = await store.create({ name: userName, email });
        expect(await store.find(id)).toMatchObject({ name: userName, email });
        await store.update(id, { name: email, email: userName });
        expect(await store.find(id)).toMatchObject({ name: email, email: userName });
      }),
      { numRuns: cases(25) },
    );
  });

  it('returns pages that together make up the list', async () => {
    const store = await open();
    await fill(store, 23);
    const list = await listAll(store);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), async (limit) => {
        const offsets = Array.from({ length: Math.ceil(23 / limit) }, (_, page) => page * limit);
        const pages = await Promise.all(offsets.map((offset) => store.page({ offset, limit })));
        expect(pages.flatMap((page) => page.users)).toEqual(list);
        expect(pages.map((page) => page.total)).toEqual(pages.map(() => 23));
      }),
      { numRuns: cases(30) },
    );
  });
});
