import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  Controller,
  controllersPlugin,
  Delete,
  defineController,
  Get,
  Post,
  QueryRoute,
  UseGuard,
  UseMiddleware,
} from '@fairlead/controllers';
import {
  type Context,
  createApp,
  createRouter,
  errorHandler,
  intended,
  json,
  type Middleware,
  text,
} from '@fairlead/core';
import { createContainer, token } from '@fairlead/di';
import { createDocument, secured } from '@fairlead/openapi';
import { named } from '@fairlead/options';
import { warningsOf } from '@fairlead/test-support/start-warnings';
import { websocket } from '@fairlead/websocket';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createTransactions,
  type IdempotencyOptions,
  idempotency,
  idempotencyTable,
  isConflict,
  type TransactionAdapter,
  type TransactionOptions,
} from '../src/index.js';
import { type RedisIdempotencyOptions, redisIdempotency } from '../src/redis.js';

/** A database that only notes what it is asked to do. */
function openLog() {
  const log: string[] = [];
  const bracket = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    log.push(`begin ${name}`);
    try {
      const result = await work();
      log.push(`commit ${name}`);
      return result;
    } catch (error) {
      log.push(`rollback ${name}`);
      throw error;
    }
  };
  const adapter: TransactionAdapter<{ note(text: string): void }> = {
    client: { note: (text) => log.push(`${text} outside`) },
    transact: (work, settings) =>
      bracket(JSON.stringify(settings), () => work({ note: (text) => log.push(`${text} inside`) })),
    async query(_client, statement) {
      if (/^(?:SET|INSERT|UPDATE|DELETE)/.test(statement)) return [{}];
      if (statement.startsWith('SAVEPOINT')) log.push('begin part');
      else if (statement.startsWith('ROLLBACK TO')) log.push('rollback part');
      else if (log.at(-1) !== 'rollback part') log.push('commit part');
      return [];
    },
  };
  return { db: createTransactions(adapter), log };
}

describe('transactions', () => {
  it('begin before the handler and commit before the response is sent', async () => {
    const { db, log } = openLog();
    const app = createApp()
      .use(errorHandler(), async (ctx, next) => {
        ctx.onFinish(() => log.push('sent'));
        await next();
      })
      .get('/', db.transaction({ isolation: 'serializable', readOnly: true }), () => {
        db.client.note('read');
        return 1;
      });
    await app.request('/');
    db.client.note('read');
    expect(log).toEqual([
      'begin {"isolation":"serializable","readOnly":true}',
      'read inside',
      'commit {"isolation":"serializable","readOnly":true}',
      'sent',
      'read outside',
    ]);
  });

  it('of a router and of a route nest', async () => {
    const { db, log } = openLog();
    const app = createApp()
      .use(db.transaction())
      .post('/', db.transaction(), () => {
        throw new Error('no');
      });
    expect((await app.request('/', { method: 'POST' })).status).toBe(500);
    expect(log).toEqual(['begin {}', 'begin part', 'rollback part', 'rollback {}']);
  });

  it('report a response that was sent before the commit', async () => {
    const { db } = openLog();
    const errors: unknown[] = [];
    const app = createApp({ onError: (error) => errors.push(error) }).post(
      '/',
      db.transaction(),
      (ctx) => void ctx.takeOver().end('early'),
    );
    expect(await (await app.request('/', { method: 'POST' })).text()).toBe('early');
    expect(errors.map(String)).toEqual([
      expect.stringContaining('POST / was sent before the commit'),
    ]);
  });

  it('roll back without the response that they need, in functions, values and classes', async () => {
    const { db, log } = openLog();
    const transaction = db.transaction();
    const response = { 201: z.object({ id: z.string() }) };
    const nothing = (): undefined => void db.client.note('write');
    @Controller('/class')
    class Orders {
      @Post('/', { response, status: 201 })
      @UseMiddleware(transaction)
      add() {
        return nothing() as never;
      }
    }
    const orders = defineController('/value', {
      routes: ({ post }) => ({
        add: post('/', { response, status: 201, middleware: [transaction] }, () => {
          return nothing() as never;
        }),
      }),
    });
    const router = createRouter();
    const app = createApp({ onError: () => undefined })
      .post('/none', transaction, nothing)
      .post('/schema', { response, status: 201 }, transaction, () => nothing() as never);
    await app.plugin(controllersPlugin({ router, controllers: [Orders, orders] }));
    app.route('/', router);
    for (const path of ['/none', '/schema', '/value', '/class']) {
      const answer = await app.request(path, { method: 'POST' });
      expect([path, answer.status, Object(await answer.json()).code]).toEqual([
        path,
        500,
        'NO_RESPONSE',
      ]);
    }
    expect(log).toEqual(Array(4).fill(['begin {}', 'write inside', 'rollback {}']).flat());
  });

  it('roll back if what has taken over the response sends an error, or nothing before the client leaves', async () => {
    const { db, log } = openLog();
    const left = Promise.withResolvers<void>();
    const app = createApp({ onError: () => undefined })
      .post('/error', db.transaction(), (ctx) => {
        const res = ctx.takeOver();
        res.statusCode = 500;
        res.end();
      })
      .post('/left', db.transaction(), async (ctx) => {
        ctx.takeOver();
        const closed = once(ctx.res, 'close');
        left.resolve();
        await closed;
      });
    expect((await app.request('/error', { method: 'POST' })).status).toBe(500);
    const leaving = new AbortController();
    const request = app.request('/left', { method: 'POST', signal: leaving.signal });
    await left.promise;
    leaving.abort();
    await expect(request).rejects.toThrow();
    await expect.poll(() => log).toEqual(['begin {}', 'rollback {}', 'begin {}', 'rollback {}']);
  });

  it('begin when a declared body has arrived', async () => {
    const { db, log } = openLog();
    const arrived = Promise.withResolvers<void>();
    const app = createApp()
      .use((_ctx, next) => {
        arrived.resolve();
        return next();
      })
      .post('/', { body: z.object({ item: z.string() }) }, db.transaction(), ({ body }) => {
        db.client.note(body.item);
        return body;
      });
    const client = app.connect();
    client.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n');
    client.write('Content-Length: 12\r\nConnection: close\r\n\r\n{"item"');
    await arrived.promise;
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    log.push('the rest');
    client.write(':"a"}');
    expect(String(Buffer.concat(await client.toArray()))).toMatch(/^HTTP\/1\.1 200 /);
    expect(log).toEqual(['the rest', 'begin {}', 'a inside', 'commit {}']);
  });

  it('of a sibling part begin after the part before', async () => {
    const { db, log } = openLog();
    const part = (text: string) => db.run(async () => db.client.note(text));
    await db.run(() => Promise.all([part('a'), part('b')]));
    expect(log.slice(1, -1)).toEqual(
      ['a', 'b'].flatMap((text) => ['begin part', `${text} inside`, 'commit part']),
    );
  });

  it('wait for a part that nothing awaits, and refuse another one behind it', async () => {
    const { db, log } = openLog();
    const late: unknown[] = [];
    await db.run(async () => {
      void db.run(async () => {
        await new Promise(setImmediate);
        db.client.note('floating');
      });
      db.run(() => db.client.note('never')).catch((error) => late.push(error));
      await Promise.resolve();
    });
    expect(log).toEqual(['begin {}', 'begin part', 'floating inside', 'commit part', 'commit {}']);
    expect(late.map(String)).toEqual([expect.stringContaining('has ended')]);
  });

  describe('whose connection is lost before they roll back', () => {
    const why = new TypeError('why');
    const fail = () => {
      throw why;
    };
    /** A database whose rollbacks fail, as those of libraries do, of parts or of whole transactions. */
    const losing = (lost: Error, isPart: boolean) => {
      const { adapter } = openLog().db;
      return createTransactions({
        ...adapter,
        transact: async (work, settings) => {
          if (isPart) return adapter.transact(work, settings);
          return adapter.transact(work, settings).catch(() => {
            throw lost;
          });
        },
        query: async (client, statement, values) => {
          if (isPart && statement.startsWith('ROLLBACK TO')) throw lost;
          return adapter.query(client, statement, values);
        },
      });
    };

    it.each([true, false])('keep why they failed (a part: %s)', async (isPart) => {
      const lost = new Error('Connection terminated');
      const { run } = losing(lost, isPart);
      await expect(run(() => run(fail))).rejects.toBe(lost);
      expect(lost.cause).toBe(why);
    });

    it.each([true, false])('keep an error that cannot change (a part: %s)', async (isPart) => {
      const lost = Object.freeze(new Error('Connection terminated'));
      const { run } = losing(lost, isPart);
      await expect(run(() => run(fail))).rejects.toBe(lost);
    });

    it.each([true, false])('give no error itself as cause (a part: %s)', async (isPart) => {
      const lost = new Error('Connection terminated');
      const { run } = losing(lost, isPart);
      await expect(run(() => run(() => Promise.reject(lost)))).rejects.toBe(lost);
      expect(lost).not.toHaveProperty('cause');
    });
  });

  it('call functions at once without a transaction', () => {
    const { db } = openLog();
    let calls = 0;
    db.afterCommit(() => {
      calls += 1;
    });
    expect([calls, db.isOpen]).toEqual([1, false]);
  });

  it('warn about a WebSocket route', () => {
    const { db } = openLog();
    const app = createApp().get(
      '/chat',
      db.transaction(),
      websocket(() => undefined),
    );
    expect(warningsOf(app)).toEqual([
      expect.stringContaining(
        'transaction() ends before the first message of GET /chat, which opens a WebSocket connection. Call run() for each message, or pass the result of transaction() to intended().',
      ),
    ]);
  });

  it('warn about a parser that reads the body later', () => {
    const { db } = openLog();
    const once = idempotency(db, { principal: () => 'ada' });
    const parser = text();
    const app = createApp()
      .post('/a', db.transaction(), parser, () => 1)
      .post('/b', once, parser, () => 1)
      .post('/c', parser, db.transaction(), () => 1)
      .post('/d', parser, once, () => 1)
      .post('/e', intended(db.transaction()), parser, () => 1)
      .post('/f', { body: z.object({}) }, once, () => 1)
      .get('/g', db.transaction(), parser, () => 1)
      .post('/h', text(), db.transaction(), text({ limit: '1kb' }), () => 1)
      .post('/i', db.transaction(), intended(text()), () => 1);
    app.use(db.transaction(), json()).mount('/j', () => new Response());
    const order = warningsOf(app).filter((one) => /transaction\(\)|idempotency\(\)/.test(one));
    expect(order).toEqual([
      expect.stringContaining(
        'transaction() runs before text() reads the body of POST /a, so that slow clients keep connections. Register text() first, or pass the result of transaction() to intended().',
      ),
      expect.stringContaining(
        'idempotency() runs before text() reads the body of POST /b, so that such bodies are a 415. Register text() first, or pass the result of idempotency() to intended().',
      ),
    ]);
  });

  it('are described in documents', () => {
    const { db } = openLog();
    const app = createApp()
      .post('/a', db.transaction(), () => 1)
      .post('/b', idempotency(db, { principal: () => 'ada' }), () => 1);
    const { paths } = createDocument(app, { info: { title: 'Orders', version: '1' } });
    const statusesOf = (path: string) =>
      Object.keys(JSON.parse(JSON.stringify(paths))[path].post.responses);
    expect(statusesOf('/a')).toEqual(expect.arrayContaining(['503']));
    expect(statusesOf('/b')).toEqual(expect.arrayContaining(['400', '409', '422', '503']));
  });

  it('name the Idempotency-Key and its errors in documents, for functions, values and classes', async () => {
    const { db } = openLog();
    const options = { principal: () => 'ada', required: true };
    const once = idempotency(db, options);
    const value = defineController('/value', {
      routes: ({ post }) => ({ add: post('/', { middleware: [once] }, () => 1) }),
    });
    @Controller('/class')
    class Orders {
      @Post('/')
      @UseMiddleware(once)
      add() {
        return 1;
      }
    }
    const router = createRouter();
    const app = createApp()
      .post('/function', once, () => 1)
      .post('/redis', redisIdempotency({ eval: async () => [] }, options), () => 1)
      .post('/optional', idempotency(db, { principal: () => 'ada' }), () => 1)
      .route('/', router);
    await app.plugin(controllersPlugin({ router, controllers: [value, Orders] }));
    const { paths } = createDocument(app, { info: { title: 'Orders', version: '1' } });
    const header = {
      name: 'Idempotency-Key',
      in: 'header',
      description: expect.stringContaining('Identifies the operation'),
      schema: { type: 'string' },
    };
    for (const path of ['/function', '/value', '/class', '/redis']) {
      const { parameters, responses = {} } = paths[path]?.post ?? {};
      expect(parameters).toEqual([{ ...header, required: true }]);
      expect(Object.keys(Object(responses))).toEqual(expect.arrayContaining(['400', '409', '422']));
    }
    expect(paths['/optional']?.post?.parameters).toEqual([header]);
  });

  it('run after the guards of controllers, if they are idempotent', async () => {
    const { db, log } = openLog();
    const isAdmin = (ctx: Context) => {
      log.push('guard');
      ctx.state.user = ctx.get('X-User');
      return ctx.state.user !== 'eve';
    };
    const pass: Middleware = (_ctx, next) => next();
    const once = idempotency(db, {
      principal: ({ state }) => {
        log.push('principal');
        return state.user as string;
      },
    });
    const value = defineController('/value', {
      guards: [isAdmin],
      routes: ({ post }) => ({ add: post('/', { middleware: [pass, once, pass] }, () => 1) }),
    });
    @Controller('/class')
    @UseGuard(isAdmin)
    class Orders {
      @Post('/')
      @UseMiddleware(pass, once, pass)
      add() {
        return 1;
      }
    }
    const router = createRouter();
    const app = createApp().use(errorHandler()).route('/', router);
    await app.plugin(controllersPlugin({ router, controllers: [value, Orders] }));
    app.seal();
    for (const path of ['/value', '/class']) {
      const post = async (user: string) => {
        log.length = 0;
        const headers = { 'X-User': user, 'Idempotency-Key': 'k' };
        const { status } = await app.request(path, { method: 'POST', headers });
        return [status, ...log.slice(0, 3)];
      };
      expect(await post('ada')).toEqual([200, 'guard', 'principal', 'begin {}']);
      expect(log.filter((one) => one === 'guard')).toHaveLength(1);
      expect(await post('eve')).toEqual([403, 'guard']);
    }
  });

  it('fail without a table, or an owner of the key', async () => {
    const errors: unknown[] = [];
    const missing = Object.assign(new Error('relation "keys" does not exist'), { code: '42P01' });
    const db = createTransactions<undefined>({
      client: undefined,
      transact: (work) => work(undefined),
      query: async (_, text) => {
        if (text.startsWith('INSERT')) throw missing;
        return [];
      },
    });
    const app = createApp({ onError: (error) => errors.push(error) })
      .post('/a', idempotency(db, { principal: () => 'ada', table: 'keys' }), () => 1)
      .post('/b', idempotency(db, { principal: () => '' }), () => 1);
    const headers = { 'Idempotency-Key': 'k' };
    expect((await app.request('/a', { method: 'POST', headers })).status).toBe(500);
    expect((await app.request('/b', { method: 'POST', headers })).status).toBe(500);
    expect(errors).toMatchObject([
      {
        message:
          'The database has no table keys. Run the statements that idempotencyTable() returns, in a migration.',
        cause: missing,
      },
      {
        message:
          'The principal function of idempotency() returned an empty string. Return a string, such as the ID of the user.',
      },
    ]);
  });

  it('fail if the table hides a key that it has', async () => {
    const errors: unknown[] = [];
    const db = createTransactions<undefined>({
      client: undefined,
      transact: (work) => work(undefined),
      query: async () => [],
    });
    const app = createApp({ onError: (error) => errors.push(error) }).post(
      '/',
      idempotency(db, { principal: () => 'ada' }),
      () => 1,
    );
    const headers = { 'Idempotency-Key': 'k' };
    expect((await app.request('/', { method: 'POST', headers })).status).toBe(500);
    expect(errors.map(String)).toEqual([
      expect.stringContaining('neither insert a key into idempotency_keys nor read it'),
    ]);
  });

  it('are refused before a guard or authentication, which a repeated request would not meet', async () => {
    const { db } = openLog();
    const once = idempotency(db, { principal: () => 'ada' });
    const pass: Middleware = (_ctx, next) => next();
    const auth = secured(named('auth', pass), {
      name: 'bearer',
      scheme: { type: 'http', scheme: 'bearer' },
    });
    const late = createApp().post('/late', once, auth, () => 1);
    expect(() => late.seal()).toThrow(
      'idempotency() runs before auth() in POST /late, so that everyone could repeat a request there and get its response. Register auth() first, or list idempotency() in the middleware of the controller, whose guards run first.',
    );
    const inRedis = redisIdempotency({ eval: async () => [] }, { principal: () => 'ada' });
    expect(() =>
      createApp()
        .post('/', inRedis, auth, () => 1)
        .seal(),
    ).toThrow('redisIdempotency() runs before auth() in POST /');
    createApp()
      .post('/', auth, once, () => 1)
      .post('/redis', auth, inRedis, () => 1)
      .seal();
    const allow = (_ctx: Context) => true;
    @Controller('/class')
    @UseGuard(allow)
    class Orders {
      @Post('/')
      add() {
        return 1;
      }
    }
    const value = defineController('/value', {
      guards: [allow],
      routes: ({ post }) => ({ add: post('/', () => 1) }),
    });
    for (const controller of [value, Orders]) {
      const router = createRouter();
      const app = createApp().use(intended(once)).route('/', router);
      await app.plugin(controllersPlugin({ router, controllers: [controller] }));
      expect(() => app.seal()).toThrow('idempotency() runs before allow in POST /');
    }
  });

  it('are missed by routes that write, if their controllers depend on the database', async () => {
    const [{ db }, { db: other }] = [openLog(), openLog()];
    const DB = token<typeof db>('db');
    class Orders {
      static readonly inject = [DB] as const;
      constructor(readonly db: unknown) {}
    }
    const warningsOf = async (
      unit: typeof db,
      change: (value: object) => object = (one) => one,
    ) => {
      @Controller('/class')
      class OfClass {
        static readonly inject = [Orders] as const;
        constructor(readonly orders: Orders) {}
        @Get('/')
        list() {}
        @QueryRoute('/')
        search() {}
        @Post('/')
        add() {}
        @Delete('/')
        @UseMiddleware(unit.transaction())
        remove() {}
      }
      const value = defineController('/value', {
        inject: { orders: Orders },
        routes: ({ get, put, patch }) => ({
          read: get('/', () => 1),
          replace: put('/', () => 1),
          change: patch(
            '/',
            { middleware: [idempotency(unit, { principal: () => 'ada' })] },
            () => 1,
          ),
        }),
      });
      @Controller('/idle')
      class Idle {
        @Post('/')
        add() {}
      }
      const warnings: string[] = [];
      const logger = { debug: () => undefined, warn: (text: string) => warnings.push(text) };
      const container = createContainer().register(DB, { useValue: db });
      const router = createRouter();
      const app = createApp().route('/', router);
      const controllers = [change(OfClass), change(value), Idle] as never;
      await app.plugin(controllersPlugin({ router, container, controllers, logger }));
      app.seal();
      return warnings.map((text) => text.split('\n')[0]);
    };
    expect(await warningsOf(db)).toEqual([
      '[controllers] OfClass.add may write without a transaction, although OfClass depends on a database of which other routes use transactions.',
      expect.stringMatching(/replace may write without a transaction/),
    ]);
    expect(await warningsOf(other)).toEqual([]);
    expect(await warningsOf(db, intended)).toEqual([]);
  });

  it('conflict if the code of PostgreSQL says so, within errors of libraries, too', () => {
    const driverAdapterError = {
      cause: { originalCode: '40001', kind: 'TransactionWriteConflict' },
    };
    const conflicts = [
      Object.assign(new Error('pg'), { code: '40P01' }),
      new Error('Drizzle', { cause: Object.assign(new Error('pg'), { code: '40001' }) }),
      Object.assign(new Error('Prisma'), { code: 'P2034', meta: { driverAdapterError } }),
      Object.assign(new Error('the commit of Prisma'), driverAdapterError),
    ];
    expect(conflicts.map(isConflict)).toEqual([true, true, true, true]);
    const others = [
      Object.assign(new Error('unique'), { code: '23505' }),
      new Error('other'),
      'text',
    ];
    expect(others.map(isConflict)).toEqual([false, false, false]);
  });

  it('refuse wrong options at the start', () => {
    const { db } = openLog();
    const call = (options: object) => () => db.transaction(options as TransactionOptions);
    expect(call({ isolation: 'weak' })).toThrow(/isolation/);
    expect(call({ commits: [200] })).toThrow(/commits/);
    expect(() => idempotency(db, {} as IdempotencyOptions)).toThrow(/principal/);
    expect(() => idempotency(db, { principal: () => 'ada', table: 'a; b' })).toThrow(/table/);
    expect(() => idempotencyTable('a b')).toThrow("cannot use the name 'a b'");
  });

  it('of keys in Redis refuse wrong options at the start', () => {
    const client = { eval: async () => [] };
    const call = (options: object, redis: object = client) =>
      expect(() => redisIdempotency(redis as typeof client, options as RedisIdempotencyOptions));
    const principal = () => '';
    call({}).toThrow('redisIdempotency() needs the option principal.');
    call({ principal }, {}).toThrow('redisIdempotency() cannot use');
    call({ principal, forgets: [404] }).toThrow(/forgets/);
    call({ principal, table: 'keys' }).toThrow(/table/);
    call({ principal, lifetime: 5_000 }).toThrow(
      'redisIdempotency() cannot use a lifetime of 5000 with lostAfter 60000: the key would end before its request. Make lifetime at least lostAfter.',
    );
  });
});

it('the README lists every option', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const own: Required<TransactionOptions> = {
    isolation: 'serializable',
    readOnly: true,
    commits: [],
    rollsBackOnDisconnect: true,
  };
  const once: Required<IdempotencyOptions> = {
    principal: () => 'ada',
    required: true,
    lifetime: 1,
    patience: 1,
    table: '',
  };
  const inRedis: Required<Omit<RedisIdempotencyOptions, keyof IdempotencyOptions>> = {
    forgets: [],
    lostAfter: 1,
    prefix: '',
  };
  const sections = readme.split(/^\| (?=Option)/m).slice(1, 4);
  const listed = sections.map((one) =>
    [...one.matchAll(/^\| `([a-zA-Z]+)` /gm)].map(([, name]) => name),
  );
  expect(listed).toEqual([own, once, inRedis].map(Object.keys));
});
