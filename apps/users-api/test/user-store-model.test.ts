import { cases } from '@fairlead/test-support/properties';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { UserStore } from '../src/users/store/user-store.js';
import type { UpdateUserInput, User } from '../src/users/user.js';
import { CONTRACT_NAMES, listAll, STORES } from './support/stores.js';

/** The users that a store should contain, as a plain array. */
type Model = User[];
type Step = (store: UserStore, model: Model, now: string) => Promise<void>;

const input = fc.record({ name: fc.string({ minLength: 1 }), email: fc.string({ minLength: 1 }) });
const changes: fc.Arbitrary<UpdateUserInput> = fc.record(
  { name: fc.string(), email: fc.string() },
  { requiredKeys: [] },
);

const create = input.map(
  (fields): Step =>
    async (store, model, now) => {
      const user = await store.create(fields);
      expect(user).toEqual({ ...fields, id: user.id, createdAt: now, updatedAt: now });
      model.push(user);
    },
);

const update = fc.tuple(fc.nat(9), changes).map(([index, fields]): Step => {
  return async (store, model, now) => {
    const expected = model.slice(index, index + 1).map((user) => ({
      ...user,
      ...fields,
      updatedAt: [user.updatedAt, now].toSorted()[1] ?? now,
    }));
    expect(await store.update(model[index]?.id ?? 'nobody', fields)).toEqual(expected[0]);
    model.splice(index, expected.length, ...expected);
  };
});

const remove = fc.nat(9).map(
  (index): Step =>
    async (store, model) => {
      const id = model[index]?.id ?? 'nobody';
      const removed = model.splice(index, 1);
      expect(await store.delete(id)).toBe(removed.length === 1);
    },
);

const step = fc.oneof({ weight: 3, arbitrary: create }, { weight: 2, arbitrary: update }, remove);
// The milliseconds by which the clock moves after each step. It sometimes moves backwards.
const tick = fc.integer({ min: -50, max: 200 });

describe.each(CONTRACT_NAMES)('the %s store', (name) => {
  it('matches a plain array after every create, update and delete', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(step, tick), { maxLength: 40 }), async (steps) => {
        let now = Date.UTC(2030, 0, 2, 12);
        const model: Model = [];
        const store = await STORES[name](() => now);
        for (const [run, milliseconds] of steps) {
          await run(store, model, new Date(now).toISOString());
          expect(await listAll(store)).toEqual(model);
          now += milliseconds;
        }
        expect(await store.page({ offset: 1, limit: 3 })).toEqual({
          users: model.slice(1, 4),
          total: model.length,
        });
      }),
      { numRuns: cases(10) },
    );
  });
});
