import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MemoryUserStore } from '../src/users/store/memory.js';
import { ADA, clientOf, startService } from './support/api.js';
import { captureLog } from './support/log.js';
import { openStore } from './support/sqlite.js';
import { STORES } from './support/stores.js';
import { temporaryFolder } from './support/temporary-folder.js';

async function getText(url: string): Promise<string> {
  return (await fetch(url)).text();
}

describe('GET /health/live', () => {
  it('responds with 200 while the store is unavailable', async () => {
    const store = await STORES.memory();
    const url = await startService({ store });
    await store.close();
    const response = await fetch(`${url}/health/live`);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toEqual({ status: 'live' });
  });
});

describe('GET /health/ready', () => {
  it('responds with 200 while the store is available', async () => {
    const response = await fetch(`${await startService()}/health/ready`);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toEqual({ status: 'ready' });
  });

  it('responds with a 503 problem when the store is unavailable', async () => {
    const store = await STORES.sqlite();
    const url = await startService({ store });
    await store.close();
    const response = await fetch(`${url}/health/ready`);
    expect(response.status).toBe(503);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      detail: 'The store is not responding.',
    });
  });

  it('responds with a 503 problem to checks and writes when the SQLite file is gone', async () => {
    const path = join(temporaryFolder(), 'users.db');
    const url = await startService({ store: openStore(path) });
    rmSync(path);
    const ready = await fetch(`${url}/health/ready`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    const write = await clientOf(`${url}/api/users`).sendJson('POST', '', ADA);
    expect(write.status).toBe(503);
    expect(write.headers.get('retry-after')).toBe('1');
    expect(await write.json()).toMatchObject({ code: 'STORE_GONE' });
  });

  it('responds with 200 and the code of failing writes while the SQLite file is full', async () => {
    const store = openStore(join(temporaryFolder(), 'users.db'), { maxPages: 6 });
    const url = await startService({ store, config: { METRICS: true } });
    const users = clientOf(`${url}/api/users`);
    const metric = async () =>
      /^store_writes_failing .$/m.exec(await getText(`${url}/metrics`))?.[0];
    expect(await metric()).toBe('store_writes_failing 0');
    const create = () => users.sendJson('POST', '', { ...ADA, name: 'x'.repeat(250) });
    await expect.poll(async () => (await create()).status).toBe(503);
    // Before the probe of the readiness check, which may succeed.
    expect(await metric()).toBe('store_writes_failing 1');
    const ready = await fetch(`${url}/health/ready`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toEqual({ status: 'ready', degraded: { store: 'STORE_FULL' } });
    expect((await fetch(`${url}/api/users`)).status).toBe(200);
  });

  it('responds with a 503 problem when the service is stopping', async () => {
    const stopping = AbortSignal.abort();
    const response = await fetch(`${await startService({ stopping })}/health/ready`);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: 'STOPPING' });
  });

  it('logs once when the store fails and once when it recovers', async () => {
    const { logger, lines } = captureLog();
    let failure: Error | undefined = new Error('Gone.');
    const check = () => {
      if (failure) throw failure;
    };
    const store = Object.assign(new MemoryUserStore(), { check });
    const url = `${await startService({ store, logger })}/health/ready`;
    const statuses = [(await fetch(url)).status, (await fetch(url)).status];
    failure = undefined;
    statuses.push((await fetch(url)).status, (await fetch(url)).status);
    expect(statuses).toEqual([503, 503, 200, 200]);
    expect(lines.all.filter(({ level }) => level !== 'debug')).toMatchObject([
      {
        level: 'error',
        msg: 'The store is not responding.',
        err: { cause: { message: 'Gone.' } },
      },
      { level: 'info', msg: 'The store is working again.' },
    ]);
  });
});
