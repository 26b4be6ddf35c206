import { setTimeout as delay } from 'node:timers/promises';
import {
  Controller,
  controllersPlugin,
  defineController,
  Post,
  UseMiddleware,
} from '@fairlead/controllers';
import { createApp, createRouter, HttpError, UnauthorizedError } from '@fairlead/core';
import { freePort } from '@fairlead/test-support/free-port';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import { Pool, type PoolConfig } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { drizzleAdapter } from '../src/drizzle.js';
import { createTransactions, idempotency, type TransactionAdapter } from '../src/index.js';
import { kyselyAdapter } from '../src/kysely.js';
import { pgAdapter } from '../src/pg.js';
import { testLibrary, using } from './support/contract.js';
import { items, pool, useDatabase } from './support/database.js';

useDatabase();

const codeOf = (problem: unknown): unknown => Reflect.get(Object(problem), 'code');

/** Each library, with how it inserts an order. */
const LIBRARIES = {
  pg: () => {
    const adapter = pgAdapter(pool);
    return { db: createTransactions(adapter), adapter };
  },
  kysely: () => {
    const adapter = kyselyAdapter(
      new Kysely<Record<never, never>>({ dialect: new PostgresDialect({ pool }) }),
    );
    return { db: createTransactions(adapter), adapter };
  },
  drizzle: () => {
    const adapter = drizzleAdapter(drizzle(pool));
    return { db: createTransactions(adapter), adapter };
  },
} as const;

/** Runs a statement by the adapter, as a repository would by its library. */
const open = (library: keyof typeof LIBRARIES) =>
  using(LIBRARIES[library]().adapter as TransactionAdapter<unknown>);

describe.each(Object.keys(LIBRARIES) as (keyof typeof LIBRARIES)[])('transactions of %s', (name) =>
  testLibrary(() => open(name)),
);

describe.each(Object.keys(LIBRARIES) as (keyof typeof LIBRARIES)[])(
  'a connection of %s that is lost',
  (name) => {
    /** Requests a route whose handler ends its connection before it returns or throws. */
    async function request(handler: (add: () => Promise<unknown>) => unknown, key?: string) {
      const { db, add, query } = open(name);
      const errors: unknown[] = [];
      const unit =
        key === undefined ? db.transaction() : idempotency(db, { principal: () => 'ada' });
      let removed: Promise<unknown> | undefined;
      const app = createApp({ onError: (error) => errors.push(error) }).post(
        '/',
        unit,
        async () => {
          await add('lost');
          const [{ pid } = { pid: 0 }] = await query('SELECT pg_backend_pid() AS pid');
          removed = new Promise((resolve) => pool.once('remove', resolve));
          await pool.query('SELECT pg_terminate_backend($1)', [pid]);
          return handler(() => add('later'));
        },
      );
      const headers = key === undefined ? {} : { 'Idempotency-Key': key };
      const response = await app.request('/', { method: 'POST', headers });
      // Until then, the pool may lend it again.
      await removed;
      const { status } = response;
      const code = codeOf(await response.json());
      return { status, code, retryAfter: response.headers.get('Retry-After'), errors };
    }

    const unreachable = { status: 503, code: 'DATABASE_UNREACHABLE', retryAfter: '1' };

    it.each([undefined, 'k'])(
      'responds with 503 when a statement fails, with the key %s',
      async (key) => {
        const { errors, ...response } = await request((add) => add(), key);
        expect(response).toEqual(unreachable);
        expect(errors).toMatchObject([{ cause: expect.any(Error) }]);
        expect(await items()).toEqual([]);
      },
    );

    it('responds with 503 to an unknown error, and with an HttpError itself', async () => {
      const cause = new Error('of the handler');
      const { errors, ...response } = await request(() => Promise.reject(cause));
      expect(response).toEqual(unreachable);
      expect(errors).toMatchObject([{ cause }]);
      expect(await request(() => Promise.reject(new HttpError(409)))).toMatchObject({
        status: 409,
      });
    });

    it('is another one than that of a service that the handler calls', async () => {
      const { db } = open(name);
      const errors: unknown[] = [];
      const app = createApp({ onError: (error) => errors.push(error) }).post(
        '/',
        db.transaction(),
        () => {
          throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
        },
      );
      expect((await app.request('/', { method: 'POST' })).status).toBe(500);
      expect(errors).toMatchObject([{ code: 'ECONNREFUSED' }]);
    });
  },
);

describe('a commit that waits', () => {
  const LOCK = 42;
  const IS_COMMITTING =
    "query = 'COMMIT' AND wait_event_type = 'Lock' AND application_name = 'orders'";

  /** The commit of the item 'slow' waits for a lock. */
  async function start() {
    await pool.query(`
      CREATE OR REPLACE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_advisory_xact_lock(${LOCK}); RETURN NULL; END';
      DROP TRIGGER IF EXISTS wait ON orders;
      CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON orders DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (NEW.item = 'slow') EXECUTE FUNCTION wait()`);
    const orders = new Pool({
      connectionString: pool.options.connectionString,
      application_name: 'orders',
      max: 2,
    });
    orders.on('error', () => undefined);
    onTestFinished(() => orders.end());
    const observer = await pool.connect();
    onTestFinished(() => observer.release(true));
    const [sent, errors]: [string[], unknown[]] = [[], []];
    const db = createTransactions(pgAdapter(orders));
    const app = createApp({ onError: (error) => errors.push(error) }).post(
      '/:item/:customer',
      { status: 201 },
      idempotency(db, { principal: () => 'ada' }),
      async ({ params: { item, customer } }) => {
        await db.client.query('INSERT INTO orders VALUES ($1, $2)', [item, customer]);
        db.afterCommit(() => sent.push(item));
        return { item };
      },
    );
    const post = (item: string, customer = 1, headers: Record<string, string> = {}) =>
      app.request(`/${item}/${customer}`, { method: 'POST', headers });
    return { post, observer, orders, sent, errors };
  }

  it('responds with 201, and runs callbacks, only after the commit', async () => {
    const { post, observer, sent } = await start();
    await observer.query(`SELECT pg_advisory_lock(${LOCK})`);
    let status: number | undefined;
    const response = post('slow').then((result) => {
      status = result.status;
      return result;
    });
    const committing = `SELECT FROM pg_stat_activity WHERE ${IS_COMMITTING}`;
    await expect.poll(async () => (await observer.query(committing)).rowCount).toBe(1);
    expect({ status, sent, items: await items() }).toEqual({
      status: undefined,
      sent: [],
      items: [],
    });
    await observer.query(`SELECT pg_advisory_unlock(${LOCK})`);
    expect(await (await response).json()).toEqual({ item: 'slow' });
    expect({ status, sent, items: await items() }).toEqual({
      status: 201,
      sent: ['slow'],
      items: ['slow'],
    });
  });

  it.each([
    ['the commit fails', 'tea', 7, '23503'],
    ['a statement of the handler fails', 'bad', 1, '23514'],
  ])(
    'responds with 500, calls onError and runs no callback if %s',
    async (_, item, customer, code) => {
      const { post, sent, errors } = await start();
      expect((await post(item, customer)).status).toBe(500);
      expect(errors).toMatchObject([{ code }]);
      expect(sent).toEqual([]);
      expect(await items()).toEqual([]);
      expect((await post('tea')).status).toBe(201);
      expect(await items()).toEqual(['tea']);
      expect(sent).toHaveLength(1);
    },
  );

  it.each([
    ['500 without a key', {}, [500, null, 'TRANSACTION_OUTCOME_UNKNOWN']],
    ['503 with one', { 'Idempotency-Key': 'k' }, [503, '1', 'DATABASE_UNREACHABLE']],
  ])(
    'responds with %s, and runs no callback, if the connection ends during the commit',
    async (_, headers, expected) => {
      const { post, observer, orders, sent, errors } = await start();
      await observer.query(`SELECT pg_advisory_lock(${LOCK})`);
      const pending = post('slow', 1, headers);
      const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${IS_COMMITTING}`;
      await expect.poll(async () => (await observer.query(end)).rowCount).toBe(1);
      const response = await pending;
      expect([
        response.status,
        response.headers.get('Retry-After'),
        codeOf(await response.json()),
      ]).toEqual(expected);
      expect(errors).toMatchObject([{ code: expected[2], cause: { cause: { code: '57P01' } } }]);
      expect(sent).toEqual([]);
      await observer.query(`SELECT pg_advisory_unlock(${LOCK})`);
      expect((await post('tea')).status).toBe(201);
      expect(orders.totalCount).toBe(1);
    },
  );

  it('fails, and runs no callback, if PostgreSQL rolls back because the work caught an error', async () => {
    const { orders, sent } = await start();
    const db = createTransactions(pgAdapter(orders));
    const work = db.run(async () => {
      db.afterCommit(() => sent.push('sent'));
      await db.client.query("INSERT INTO orders VALUES ('tea')");
      await db.client.query('SELECT 1 / 0').catch(() => undefined);
      return 'done';
    });
    await expect(work).rejects.toThrow('PostgreSQL rolled the transaction back');
    expect({ sent, items: await items() }).toEqual({ sent: [], items: [] });
  });
});

/** Opens a pool for one test. */
function openPool(options: PoolConfig): Pool {
  const opened = new Pool(options);
  opened.on('error', () => undefined);
  onTestFinished(() => opened.end());
  return opened;
}

describe('transaction()', () => {
  it.each([
    ['an HttpError', new UnauthorizedError()],
    ['an error as of http-errors', Object.assign(new Error(), { status: 401, expose: true })],
  ])('commits errors with the statuses that it lists: %s', async (_, error) => {
    const { db, add } = open('pg');
    const app = createApp().post('/sessions', db.transaction({ commits: [401] }), async () => {
      await add('failed');
      throw error;
    });
    expect((await app.request('/sessions', { method: 'POST' })).status).toBe(401);
    expect(await items()).toEqual(['failed']);
  });

  it('responds with 503 to a conflict', async () => {
    const { db } = open('pg');
    const app = createApp({ onError: () => undefined }).post('/', db.transaction(), () => {
      throw Object.assign(new Error('deadlock'), { code: '40P01' });
    });
    const response = await app.request('/', { method: 'POST' });
    expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '1']);
    expect(await response.json()).toMatchObject({ code: 'TRANSACTION_CONFLICT' });
  });

  it.each([
    [
      'refuses connections',
      async () => openPool({ host: '127.0.0.1', port: await freePort(), user: 'none' }),
    ],
    [
      'has no connection left in the pool',
      async () => {
        const { connectionString } = pool.options;
        const full = openPool({ connectionString, max: 1 });
        const connection = await full.connect();
        full.options.connectionTimeoutMillis = 50;
        onTestFinished(() => connection.release());
        return full;
      },
    ],
    [
      'has no connection left',
      async () => {
        const { connectionString } = pool.options;
        await pool.query(
          "DO $$ BEGIN CREATE ROLE crowd LOGIN PASSWORD 'password' CONNECTION LIMIT 0; EXCEPTION WHEN duplicate_object THEN NULL; END $$",
        );
        const url = new URL(String(connectionString));
        url.username = 'crowd';
        return openPool({ connectionString: url.href });
      },
    ],
  ])('responds with 503 when the database %s', async (_, openIt) => {
    const own = await openIt();
    const errors: unknown[] = [];
    const db = createTransactions(pgAdapter(own));
    const app = createApp({ onError: (error) => errors.push(error) }).post(
      '/',
      db.transaction(),
      () => ({}),
    );
    const response = await app.request('/', { method: 'POST' });
    expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '1']);
    expect(await response.json()).toMatchObject({ code: 'DATABASE_UNREACHABLE' });
    expect(errors).toMatchObject([{ cause: expect.any(Error) }]);
  });

  it('refuses a stream, which is read after its end', async () => {
    const { db, add } = open('pg');
    const errors: unknown[] = [];
    const app = createApp({ onError: (error) => errors.push(error) }).post(
      '/',
      db.transaction(),
      async function* () {
        await add('late');
        yield 'x';
      },
    );
    expect((await app.request('/', { method: 'POST' })).status).toBe(500);
    expect(String(errors[0])).toContain('POST / is a stream');
    expect(await items()).toEqual([]);
  });

  it('refuses statements after its end', async () => {
    const { db, add } = open('pg');
    const late = Promise.withResolvers<unknown>();
    const app = createApp().post('/', db.transaction(), () => {
      setTimeout(() => add('late').catch(late.resolve), 50);
      return {};
    });
    expect((await app.request('/', { method: 'POST' })).status).toBe(200);
    expect(String(await late.promise)).toContain('The transaction of POST / has ended.');
    expect(await items()).toEqual([]);
  });

  it('calls functions after the commit, and reports their errors', async () => {
    const { db, add } = open('pg');
    const errors: unknown[] = [];
    const seen: string[][] = [];
    const app = createApp({ onError: (error) => errors.push(error) }).post(
      '/:item',
      db.transaction(),
      async ({ params }) => {
        await add(params.item);
        db.afterCommit(async () => {
          seen.push(await items());
          throw new Error('no mail');
        });
        if (params.item === 'no') throw new HttpError(400, 'No.');
        return {};
      },
    );
    expect((await app.request('/yes', { method: 'POST' })).status).toBe(200);
    expect((await app.request('/no', { method: 'POST' })).status).toBe(400);
    await expect.poll(() => errors).toHaveLength(1);
    expect([seen, (errors[0] as Error).cause]).toEqual([[['yes']], new Error('no mail')]);
  });

  it('rolls back for a client that has left, if it should', async () => {
    const { db, add } = open('pg');
    const app = createApp({ onError: () => undefined })
      .post('/rolled', db.transaction({ rollsBackOnDisconnect: true }), leave)
      .post('/kept', db.transaction(), leave);
    async function leave(ctx: { readonly path: string; readonly signal: AbortSignal }) {
      await add(ctx.path);
      controller.abort();
      await expect.poll(() => ctx.signal.aborted).toBe(true);
      done.resolve();
      return {};
    }
    let controller = new AbortController();
    let done = Promise.withResolvers<void>();
    for (const path of ['/rolled', '/kept']) {
      controller = new AbortController();
      done = Promise.withResolvers();
      await app.request(path, { method: 'POST', signal: controller.signal }).catch(() => undefined);
      await done.promise;
    }
    await expect.poll(items).toEqual(['/kept']);
  });

  it('runs for values and classes, and for all routes of a router', async () => {
    const { db, add } = open('pg');
    const middleware = [db.transaction()];
    const fail = async (item: string): Promise<object> => {
      await add(item);
      throw new HttpError(409, 'No.');
    };
    const value = defineController('/value', {
      middleware,
      routes: ({ post }) => ({ add: post('/', () => fail('value')) }),
    });
    @Controller('/class')
    class Orders {
      @Post('/')
      @UseMiddleware(...middleware)
      add() {
        return fail('class');
      }
    }
    const router = createRouter();
    const app = createApp().route('/', router);
    await app.plugin(controllersPlugin({ router, controllers: [value, Orders] }));
    for (const path of ['/value', '/class'])
      expect((await app.request(path, { method: 'POST' })).status).toBe(409);
    expect(await items()).toEqual([]);
  });
});

describe('idempotency()', () => {
  const keyed = { 'Idempotency-Key': 'k' };

  it('refuses a stream, and rolls back', async () => {
    const { db, add } = open('pg');
    const errors: unknown[] = [];
    const app = createApp({ onError: (error) => errors.push(error) }).post(
      '/',
      idempotency(db, { principal: () => 'ada' }),
      async (ctx) => {
        await add('x');
        ctx.send(new Blob(['x']));
      },
    );
    expect((await app.request('/', { method: 'POST', headers: keyed })).status).toBe(500);
    expect(String(errors[0])).toContain('is a stream');
    expect(await items()).toEqual([]);
  });

  it('finds each operation exactly once after requests that lose their connections to the database', async () => {
    const lossy = new Pool({
      connectionString: pool.options.connectionString,
      application_name: 'lossy',
      max: 4,
    });
    lossy.on('error', () => undefined);
    onTestFinished(() => lossy.end());
    const db = createTransactions(pgAdapter(lossy));
    const app = createApp({ onError: () => undefined }).post(
      '/:item',
      idempotency(db, { principal: () => 'ada' }),
      async ({ params }) => {
        await db.client.query('INSERT INTO orders VALUES ($1)', [params.item]);
        await delay(Math.random() * 5);
        return { item: params.item };
      },
    );
    let isOver = false;
    const killing = (async () => {
      while (!isOver) {
        await pool
          .query(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lossy' AND random() < 0.3`,
          )
          .catch(() => undefined);
        await delay(15);
      }
    })();
    const names = Array.from(
      { length: 60 },
      (_, index) => `item-${String(index).padStart(2, '0')}`,
    );
    let failures = 0;
    const send = async (item: string): Promise<string> => {
      for (;;) {
        const response = await app.request(`/${item}`, {
          method: 'POST',
          headers: { 'Idempotency-Key': item },
        });
        if (response.status === 200) return response.text();
        failures += 1;
        await delay(5);
      }
    };
    const bodies = await Promise.all(names.map(send));
    isOver = true;
    await killing;
    expect(failures).toBeGreaterThan(0);
    expect(bodies).toEqual(names.map((item) => JSON.stringify({ item })));
    expect(await items()).toEqual(names);
  });
});

it('a statement of each library runs in the transaction', async () => {
  const kysely = LIBRARIES.kysely().db;
  await kysely.run(() =>
    kysely.client.executeQuery(CompiledQuery.raw("INSERT INTO orders VALUES ('k')")),
  );
  const orm = LIBRARIES.drizzle().db;
  const failing = orm.run(async () => {
    await orm.client.execute(sql`INSERT INTO orders VALUES ('d')`);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await items()).toEqual(['k']);
});
