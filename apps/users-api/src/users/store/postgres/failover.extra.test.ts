import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Database } from '../../../../test/chaos/fleet/database.js';
import { ADA, bodyOf, clientOf, startService } from '../../../../test/support/api.js';
import { DatabaseProxy } from '../../../../test/support/database-proxy.js';
import { captureLog } from '../../../../test/support/log.js';
import { execute, PATIENT, postgresUrl } from '../../../../test/support/stores.js';
import { PostgresUserStore } from './postgres-user-store.js';

const ID = '00000000-0000-0000-0000-000000000000';

const END_OTHERS =
  'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()';

async function openStore(url: string): Promise<PostgresUserStore> {
  const store = await PostgresUserStore.open(url, { ...PATIENT, warn: () => {} });
  onTestFinished(() => store.close());
  return store;
}

async function removedAtEnd(database: Promise<Database>): Promise<Database> {
  const started = await database;
  onTestFinished(() => started.remove());
  return started;
}

/** Adds users from a number to another. Their list is larger than the buffers of a connection. */
function fill(url: string, from: number, to: number): Promise<void> {
  return execute(
    url,
    `INSERT INTO users SELECT md5(n::text)::uuid, n, repeat('x', 5000), '', now(), now()
       FROM generate_series(${from}, ${to}) AS n;
     INSERT INTO users_totals VALUES (gen_random_uuid(), ${to - from + 1})`,
  );
}

/** Requests a list of a service whose client stops reading after the head of the response. */
async function openList(store: PostgresUserStore) {
  const { logger, lines } = captureLog();
  const url = await startService({ store, logger });
  const [response] = await once(get(`${url}/api/users`), 'response');
  return { response: response as IncomingMessage, lines };
}

describe('a list during which PostgreSQL fails over', () => {
  it.each<[string, (database: Database) => Promise<Database>]>([
    [
      'an empty database',
      async () => {
        const empty = await Database.start();
        await (await openStore(empty.url)).close();
        return empty;
      },
    ],
    [
      'a database with other users',
      async () => {
        const other = await Database.start();
        await (await openStore(other.url)).close();
        await fill(other.url, 4_000, 4_900);
        return other;
      },
    ],
    [
      'a backup of its files',
      async (database) => {
        const restart = await database.crash();
        const backup = await database.copy();
        await restart();
        await fill(database.url, 4_901, 20_000);
        return backup;
      },
    ],
    [
      'a promoted copy, which has reached a later position of the log',
      async (database) => {
        const restart = await database.crash();
        const standby = await database.copy(true);
        await restart();
        await execute(standby.url, 'SELECT pg_switch_wal()');
        return standby;
      },
    ],
  ])('to %s is cut, and the log says why', async (_, makeTarget) => {
    const database = await removedAtEnd(Database.start());
    await (await openStore(database.url)).close();
    await fill(database.url, 1, 4_900);
    const target = await removedAtEnd(makeTarget(database));
    const proxy = new DatabaseProxy(database.url);
    const { response, lines } = await openList(await openStore(await proxy.listen()));
    proxy.failOver(target.url);
    expect(response.statusCode).toBe(200);
    await expect(text(response)).rejects.toThrow('aborted');
    expect(await lines.first('request', 1)).toMatchObject([
      {
        aborted: true,
        err: {
          code: 'STORE_GONE',
          message: expect.stringContaining('is now another database, or an earlier state'),
        },
      },
    ]);
  });

  it('goes on after the database has crashed and restarted', async () => {
    const database = await removedAtEnd(Database.start());
    const store = await openStore(database.url);
    await fill(database.url, 1, 250);
    const list = store.list();
    const first = await list.next();
    await (await database.crash())();
    expect([first.value, ...(await Array.fromAsync(list))].flat()).toHaveLength(250);
  });
});

describe('a list on an engine without the functions of PostgreSQL', () => {
  async function openLimited() {
    const database = await removedAtEnd(Database.start());
    await execute(
      database.url,
      `CREATE ROLE limited LOGIN PASSWORD 'limited'; GRANT CREATE ON SCHEMA public TO limited;
       REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC`,
    );
    const url = new URL(database.url);
    url.username = 'limited';
    url.password = 'limited';
    const store = await openStore(url.href);
    await fill(url.href, 1, 250);
    return { url: url.href, store };
  }

  it('has all users', async () => {
    const { store } = await openLimited();
    expect((await Array.fromAsync(store.list())).flat()).toHaveLength(250);
  });

  it.each([
    ['has another anchor', 'UPDATE users_schema SET version = version - 1 WHERE id = 2'],
    ['has no anchor', 'DELETE FROM users_schema WHERE id = 2'],
    [
      'was restored',
      `ALTER TABLE users RENAME TO old; CREATE TABLE users (LIKE old);
       INSERT INTO users SELECT * FROM old LIMIT 150`,
    ],
  ])('fails if the database %s', async (_, sql) => {
    const { url, store } = await openLimited();
    const list = store.list();
    expect((await list.next()).value).toHaveLength(100);
    await execute(url, sql);
    await expect(list.next()).rejects.toMatchObject({ code: 'STORE_GONE', isTransient: true });
  });
});

it('keeps the anchor of a database, and adds one to a database that has none', async () => {
  const url = await postgresUrl();
  const store = await openStore(url);
  await fill(url, 1, 250);
  const list = store.list();
  await list.next();
  await openStore(url);
  expect((await list.next()).value).toHaveLength(100);
  await execute(url, 'DELETE FROM users_schema WHERE id = 2');
  await openStore(url);
  await expect(list.next()).rejects.toMatchObject({ code: 'STORE_GONE' });
});

it('responds with 503 STORE_GONE once the database has no tables, and logs the fix', async () => {
  const url = await postgresUrl();
  const { logger, lines } = captureLog();
  const service = await startService({ store: await openStore(url), logger });
  await execute(url, 'DROP TABLE users, users_totals, users_schema');
  const { send, sendJson } = clientOf(`${service}/api/users`);
  const responses = [
    await send('GET'),
    await sendJson('POST', '', ADA),
    await send('GET', `/${ID}`),
  ];
  for (const response of responses) {
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: 'STORE_GONE' });
  }
  const message = expect.stringContaining('or restore a backup');
  const err = { code: 'STORE_GONE', message };
  expect(await lines.first('request', 3)).toMatchObject([{ err }, { err }, { err }]);
});

it('stays ready while a database is read-only, says so, and notices when it is not', async () => {
  const database = await removedAtEnd(Database.start());
  const { logger, lines } = captureLog();
  const store = await openStore(database.url);
  const url = await startService({ store, logger, config: { METRICS: true } });
  const { send, sendJson } = clientOf(`${url}/api/users`);
  const ready = async () => {
    const response = await fetch(`${url}/health/ready`);
    expect(response.status).toBe(200);
    return response.json();
  };
  const metric = async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return /^store_writes_failing .$/m.exec(text)?.[0];
  };
  expect(await metric()).toBe('store_writes_failing 0');

  await execute(database.url, 'ALTER ROLE ALL SET default_transaction_read_only = on');
  await execute(database.url, END_OTHERS);
  const write = async () => (await bodyOf<{ code: string }>(await sendJson('POST', '', ADA))).code;
  await expect.poll(write).toBe('STORE_UNREACHABLE');
  await expect
    .poll(() => lines.all.map(({ err }) => Object(err).message))
    .toContainEqual(
      expect.stringMatching(
        /is read-only \(SQLSTATE 25006\)\. .* If it is the primary, set default_transaction_read_only to off\.$/,
      ),
    );
  const code = 'STORE_UNREACHABLE';
  expect(await ready()).toEqual({ status: 'ready', degraded: { store: code } });
  expect((await send('GET')).status).toBe(200);
  expect(await metric()).toBe('store_writes_failing 1');

  const writable = `${database.url}?options=-cdefault_transaction_read_only%3Doff`;
  await execute(writable, 'ALTER ROLE ALL RESET ALL');
  await execute(database.url, END_OTHERS);
  await expect.poll(ready).toEqual({ status: 'ready' });
  expect(await metric()).toBe('store_writes_failing 0');
});
