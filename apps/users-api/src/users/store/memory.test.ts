import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryUserStore } from './memory.js';

const ADA = { name: 'Ada', email: 'ada@example.com' };

describe('MemoryUserStore', () => {
  it('returns the same pages as an array, also after deletes of whole blocks', async () => {
    const store = new MemoryUserStore();
    const created = Array.from({ length: 5_000 }, () => store.create(ADA));
    const stays = (index: number) => index < 900 || (index > 3_500 && index % 7 !== 0);
    const users = created.filter((_, index) => stays(index));
    for (const [index, { id }] of created.entries()) if (!stays(index)) store.delete(id);
    fc.assert(
      fc.property(fc.nat(users.length + 10), fc.integer({ min: 1, max: 100 }), (offset, limit) => {
        expect(store.page({ offset, limit })).toEqual({
          users: users.slice(offset, offset + limit),
          total: users.length,
        });
      }),
    );
    expect((await Array.fromAsync(store.list())).flat()).toEqual(users);
  });

  it('appends users after every other user was deleted', () => {
    const store = new MemoryUserStore();
    store.delete(store.create(ADA).id);
    const users = [store.create(ADA), store.create(ADA)];
    expect(store.page({ offset: 0, limit: 10 })).toEqual({ users, total: 2 });
  });
});
