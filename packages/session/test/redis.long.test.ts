import { setTimeout as sleep } from 'node:timers/promises';
import { type RedisServer, startRedis } from '@fairlead/test-support/redis-server';
import { createClient, createClientPool } from 'redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRedisStore } from '../src/redis.js';
import { COOKIE, createAccounts } from './support/accounts.js';
import { serve } from './support/client.js';
import { testStore } from './support/contract.js';

const POST = { method: 'POST' };

/** Connects a client. It does not report lost connections, which the tests cause. */
async function connect(path: string) {
  const client = createClient({
    disableOfflineQueue: true,
    socket: { path, reconnectStrategy: () => 10 },
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

let server: RedisServer;
let client: Awaited<ReturnType<typeof connect>>;
beforeAll(async () => {
  server = await startRedis();
  client = await connect(server.path);
});
afterAll(async () => {
  client.destroy();
  await server.stop();
});

let stores = 0;
testStore('createRedisStore', () => {
  stores += 1;
  return createRedisStore(client, { prefix: `test-${stores}:` });
});

describe('a pool', () => {
  const createPool = () => createClientPool({ socket: { path: server.path, tls: false } });
  let pool: ReturnType<typeof createPool>;
  beforeAll(async () => {
    pool = createPool();
    await pool.connect();
  });
  afterAll(() => pool.close());
  testStore('createRedisStore', () => {
    stores += 1;
    return createRedisStore(pool, { prefix: `test-${stores}:` });
  });
});

describe('createRedisStore', () => {
  it('sets the time to live of a key, and extends it when it is read', async () => {
    const store = createRedisStore(client);
    await store.write('ttl', '1', 60_000, undefined);
    expect(await client.pTTL('session:ttl')).toBeGreaterThan(50_000);
    await store.read('ttl', 600_000);
    expect(await client.pTTL('session:ttl')).toBeGreaterThan(500_000);
    await store.write('ttl', '2', 60_000, '1');
    expect(await client.pTTL('session:ttl')).toBeLessThanOrEqual(60_000);
  });

  it('knows the keys of an owner until the last one expires, and forgets earlier ones', async () => {
    const store = createRedisStore(client, { prefix: 'owned:' });
    await store.write('old', '1', 60_000, undefined, { id: 'ada', ttl: 1 });
    await sleep(5);
    await store.write('long', '2', 60_000, undefined, { id: 'ada', ttl: 600_000 });
    await store.write('short', '3', 60_000, undefined, { id: 'ada', ttl: 60_000 });
    expect(await client.pTTL('owned:user:ada')).toBeGreaterThan(500_000);
    expect(await client.zRange('owned:user:ada', 0, -1)).toEqual(['short', 'long']);
    await store.deleteOwned?.('ada', undefined);
    expect(await client.exists(['owned:user:ada', 'owned:short', 'owned:long'])).toBe(0);
  });

  it('shares sessions between applications', async () => {
    const other = await connect(server.path);
    const one = await serve(createAccounts({ store: createRedisStore(client) }));
    const two = await serve(createAccounts({ store: createRedisStore(other) }));
    await one.send('/sign-in/ada', POST);
    two.cookies.set(COOKIE, one.cookies.get(COOKIE) ?? '');
    expect(await (await two.send('/')).json()).toMatchObject({ user: 'ada' });
    await two.send('/sign-out', POST);
    expect(await (await one.send('/')).json()).toMatchObject({ user: null });
    other.destroy();
  });

  it('lets the session end in Redis after its idle timeout', async () => {
    const accounts = await serve(
      createAccounts({ store: createRedisStore(client), idleTimeout: 1_000 }),
    );
    await accounts.send('/sign-in/ada', POST);
    const { id } = (await (await accounts.send('/id')).json()) as { id: string };
    await expect.poll(() => client.exists(`session:${id}`)).toBe(0);
    expect(await (await accounts.send('/')).json()).toMatchObject({ user: null });
  });

  it('responds with 503 while the server is full, and keeps the sessions that it has', async () => {
    const errors: unknown[] = [];
    const accounts = await serve(createAccounts({ store: createRedisStore(client) }, errors));
    await accounts.send('/sign-in/ada', POST);
    await client.configSet({ 'maxmemory-policy': 'noeviction', maxmemory: '1mb' });
    expect((await accounts.copy().send('/visit', POST)).status).toBe(503);
    expect(await (await accounts.send('/')).json()).toMatchObject({ user: 'ada', visits: null });
    expect((await accounts.send('/sign-out', POST)).status).toBe(200);
    expect((await accounts.send('/visit', POST)).status).toBe(503);
    expect(errors[0]).toMatchObject({
      code: 'SESSION_STORE_UNAVAILABLE',
      cause: expect.objectContaining({ message: expect.stringContaining('OOM') }),
    });
    await client.configSet({ maxmemory: '0' });
    expect((await accounts.send('/visit', POST)).status).toBe(200);
  });

  it('replaces a session that rotates while other requests change it', async () => {
    const accounts = await serve(
      createAccounts({ store: createRedisStore(client, { prefix: 'rotate:' }) }),
    );
    await accounts.send('/visit', POST);
    const others = Array.from({ length: 20 }, (_, index) =>
      accounts.copy().send(`/cart/${index}`, POST),
    );
    const signedIn = accounts.send('/sign-in/ada', POST);
    const statuses = (await Promise.all(others)).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    expect((await signedIn).status).toBe(200);
    expect(await (await accounts.send('/')).json()).toMatchObject({ user: 'ada', visits: 1 });
  });

  it('responds with 503 while the server is down, and works again after it restarts', async () => {
    const errors: unknown[] = [];
    const accounts = await serve(createAccounts({ store: createRedisStore(client) }, errors));
    await accounts.send('/sign-in/ada', POST);
    await server.kill();
    expect((await accounts.send('/')).status).toBe(503);
    expect((await accounts.send('/sign-out', POST)).status).toBe(503);
    expect((await accounts.copy().send('/none')).status).toBe(503);
    accounts.cookies.clear();
    expect((await accounts.send('/')).status).toBe(200);
    expect(errors).toContainEqual(
      expect.objectContaining({ code: 'SESSION_STORE_UNAVAILABLE', status: 503 }),
    );
    await server.start();
    await expect.poll(async () => (await accounts.send('/sign-in/ada', POST)).status).toBe(200);
    expect(await (await accounts.send('/')).json()).toMatchObject({ user: 'ada' });
  });
});
