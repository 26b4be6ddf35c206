import { describe, expect, it } from 'vitest';
import { MemoryUserStore } from '../users/store/memory.js';
import type { User } from '../users/user.js';
import { type FillOptions, fillStore } from './fill-store.js';

const OPTIONS: FillOptions = {
  count: 20,
  inFlight: 5,
  signal: new AbortController().signal,
  onCreated: () => undefined,
};

/** A store whose creates stay pending until the test settles them. */
function heldStore() {
  const held: PromiseWithResolvers<User>[] = [];
  return {
    held,
    create() {
      const created = Promise.withResolvers<User>();
      held.push(created);
      return created.promise;
    },
  };
}

const USER = new MemoryUserStore().create({ name: 'Ada', email: 'ada@example.com' });

describe('fillStore', () => {
  it('creates the requested number of users, the same ones each time', async () => {
    const [one, other] = [new MemoryUserStore(), new MemoryUserStore()];
    await fillStore(one, OPTIONS);
    await fillStore(other, { ...OPTIONS, inFlight: 1 });
    const emailsOf = (store: MemoryUserStore) =>
      store.page({ offset: 0, limit: 100 }).users.map(({ email }) => email);
    expect(new Set(emailsOf(one)).size).toBe(20);
    expect(emailsOf(other)).toEqual(emailsOf(one));
  });

  it('runs no more creates at once than inFlight', async () => {
    const store = heldStore();
    const filled = fillStore(store, { ...OPTIONS, count: 6 });
    expect(store.held).toHaveLength(5);
    store.held[0]?.resolve(USER);
    await expect.poll(() => store.held.length).toBe(6);
    for (const { resolve } of store.held) resolve(USER);
    await filled;
  });

  it('waits for pending creates and counts them when it is aborted', async () => {
    const store = heldStore();
    const stop = new AbortController();
    let created = 0;
    const onCreated = () => {
      created += 1;
    };
    const filled = fillStore(store, { ...OPTIONS, signal: stop.signal, onCreated });
    stop.abort();
    for (const { resolve } of store.held) resolve(USER);
    await filled;
    expect(created).toBe(5);
  });

  it('throws the error of the store and stops starting creates', async () => {
    const store = heldStore();
    const filled = fillStore(store, OPTIONS);
    const [first, ...others] = store.held;
    first?.reject(new Error('Full.'));
    for (const { resolve } of others) resolve(USER);
    await expect(filled).rejects.toThrow('Full.');
    expect(store.held.length).toBeLessThan(20);
  });
});
