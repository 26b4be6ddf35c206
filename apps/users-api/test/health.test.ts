import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Readiness } from '../src/health/readiness.js';
import { ADA, clientOf, startService } from './support/api.js';
import { captureLog } from './support/log.js';
import { openStore } from './support/sqlite.js';
import { STORES } from './support/stores.js';
import { temporaryFolder } from './support/temporary-folder.js';

/** Creates a store whose checks finish when the test resolves them. */
function storeOnDemand() {
  const checks: PromiseWithResolvers<void>[] = [];
  return {
    checks,
    check() {
      const result = Promise.withResolvers<void>();
      checks.push(result);
      return result.promise;
    },
  };
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

  it('responds with a 503 problem when the service is stopping', async () => {
    const { logger } = captureLog();
    const readiness = new Readiness({ store: await STORES.memory(), logger });
    const url = await startService({ readiness });
    readiness.stop();
    const response = await fetch(`${url}/health/ready`);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: 'STOPPING' });
  });
});

describe('Readiness', () => {
  it('treats a store that does not respond in time as unavailable', async () => {
    const { logger, lines } = captureLog();
    const readiness = new Readiness({ store: storeOnDemand(), logger, timeout: 1 });
    await expect(readiness.check()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(lines.all).toMatchObject([{ err: { message: expect.stringContaining('within 1 ms') } }]);
  });

  it('checks the store once for several concurrent callers', async () => {
    const { logger } = captureLog();
    const store = storeOnDemand();
    const readiness = new Readiness({ store, logger });
    const checks = [readiness.check(), readiness.check()];
    await Promise.resolve();
    store.checks[0]?.resolve();
    await Promise.all(checks);
    expect(store.checks).toHaveLength(1);
  });

  it('logs once when the store fails and once when it recovers', async () => {
    const { logger, lines } = captureLog();
    let failure: Error | undefined = new Error('Gone.');
    const check = async () => {
      if (failure) throw failure;
    };
    const readiness = new Readiness({ store: { check }, logger });
    await expect(readiness.check()).rejects.toThrow();
    await expect(readiness.check()).rejects.toThrow();
    failure = undefined;
    await readiness.check();
    await readiness.check();
    expect(lines.all.map(({ msg }) => msg)).toEqual([
      'the store is not responding',
      'the store is responding again',
    ]);
  });
});
