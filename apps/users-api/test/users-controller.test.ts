import { StoreError } from '@fairlead/store';
import { createTestApp, type TestApp } from '@fairlead/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { UsersController } from '../src/users/controller.js';
import { MemoryUserStore } from '../src/users/store/memory.js';
import { USER_STORE, type UserStore } from '../src/users/store/user-store.js';
import { ADA } from './support/api.js';
import { listAll, STORES } from './support/stores.js';

const FULL = new StoreError('STORE_FULL', 'The disk is full: free some space.');

/** A store that rejects writes because its disk is full. */
class FullUserStore extends MemoryUserStore {
  override create(): never {
    throw FULL;
  }
}

/** Creates an app with only the users controller for the current test. */
async function serve(store: UserStore, prefix = ''): Promise<TestApp> {
  const app = await createTestApp({
    controllers: [UsersController],
    prefix,
    overrides: [[USER_STORE, { useValue: store }]],
  });
  onTestFinished(() => app.close());
  return app;
}

describe('UsersController', () => {
  it.each(['', '/api/v1', '/tenants/7'])('sends a Location below its prefix %j', async (prefix) => {
    const app = await serve(await STORES.memory(() => 0), prefix);
    const created = await app.request(`${prefix}/users`, { method: 'POST', json: ADA });
    const location = created.headers.get('Location') ?? '';
    expect(location).toMatch(new RegExp(`^${prefix}/users/[^/]+$`));
    const found = await app.request(location);
    expect(await found.json()).toEqual(await created.json());
  });

  it('passes on an error of the store unchanged', async () => {
    const app = await serve(new FullUserStore());
    await expect(app.request('/users', { method: 'POST', json: ADA })).rejects.toBe(FULL);
    expect(await (await app.request('/users')).json()).toEqual({ data: [], total: 0 });
  });

  it('leaves the store open when the application closes', async () => {
    const store = await STORES.memory();
    const app = await serve(store);
    await app.close();
    expect(await listAll(store)).toEqual([]);
  });
});

describe('src/users/controller.ts', () => {
  it('is found below src/users', async () => {
    const app = await createTestApp({
      root: new URL('../src/users/', import.meta.url),
      include: ['controller.ts'],
      overrides: [[USER_STORE, { useValue: await STORES.memory() }]],
    });
    onTestFinished(() => app.close());
    expect(await (await app.request('/users')).json()).toEqual({ data: [], total: 0 });
  });
});
