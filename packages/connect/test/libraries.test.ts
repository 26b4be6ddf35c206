import { once } from 'node:events';
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { createRouter, HttpError, type Middleware, urlencoded } from '@fairlead/core';
import { etag, sendEvents } from '@fairlead/middleware';
import compression from 'compression';
import express from 'express';
import session from 'express-session';
import helmet from 'helmet';
import morgan from 'morgan';
import { Passport } from 'passport';
import { Strategy } from 'passport-local';
import { describe, expect, it } from 'vitest';
import { connect } from '../src/index.js';
import { hello, serve } from './support/serve.js';

/** Sends a request with node's client, which decodes nothing. */
async function send(url: string, options: RequestOptions = {}, body?: string) {
  const sent = request(url, options).end(body);
  const [response]: IncomingMessage[] = await once(sent, 'response');
  if (response === undefined) throw new TypeError('There is no response.');
  return {
    status: response.statusCode,
    headers: response.headers,
    body: await buffer(response),
  };
}

describe('helmet', () => {
  it.each<[number, Middleware]>([
    [200, hello],
    [404, (_ctx, next) => next()],
    [
      500,
      () => {
        throw new Error('Broken.');
      },
    ],
    [
      409,
      async () => {
        throw new HttpError(409, 'conflict');
      },
    ],
  ])('sets its headers on a response with status %d', async (status, middleware) => {
    const response = await fetch(await serve(connect(helmet()), middleware));
    expect(response.status).toBe(status);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(response.headers.get('x-frame-options')).toBe('SAMEORIGIN');
  });
});

describe('compression', () => {
  const text = 'fairlead '.repeat(1_000);
  const compress = connect(compression());
  const gzip = { headers: { 'accept-encoding': 'gzip' } };

  it.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ])('compresses JSON with %s', async (encoding, decompress) => {
    const url = await serve(compress, (ctx) => ctx.json({ text }));
    const { headers, body } = await send(url, { headers: { 'accept-encoding': encoding } });
    expect(headers).toMatchObject({
      'content-encoding': encoding,
      'content-type': 'application/json; charset=utf-8',
      'transfer-encoding': 'chunked',
      vary: 'Accept-Encoding',
    });
    expect(headers).not.toHaveProperty('content-length');
    expect(body.length).toBeLessThan(text.length / 10);
    expect(JSON.parse(decompress(body).toString())).toEqual({ text });
  });

  it('compresses text that is not ASCII, and bytes', async () => {
    const url = await serve(compress, (ctx) => {
      ctx.set('Content-Type', 'text/plain; charset=utf-8');
      const words = 'Grüße, 日本 '.repeat(1_000);
      ctx.send(ctx.path === '/bytes' ? Buffer.from(words) : words);
    });
    const bodies = await Promise.all(['/text', '/bytes'].map((path) => send(url + path, gzip)));
    for (const { body } of bodies) {
      expect(gunzipSync(body).toString()).toBe('Grüße, 日本 '.repeat(1_000));
    }
  });

  it('compresses a stream, chunk by chunk', async () => {
    const url = await serve(compress, (ctx) => {
      ctx.set('Content-Type', 'text/plain');
      ctx.send(Readable.from(Array.from({ length: 10_000 }, (_, line) => `line ${line}\n`)));
    });
    const { headers, body } = await send(url, gzip);
    expect(headers['content-encoding']).toBe('gzip');
    const lines = gunzipSync(body).toString().trimEnd().split('\n');
    expect([lines.length, lines.at(-1)]).toEqual([10_000, 'line 9999']);
  });

  it('waits for slow readers of a large stream', async () => {
    let pulled = 0;
    const url = await serve(connect(compression({ threshold: 0 })), (ctx) => {
      ctx.set('Content-Type', 'text/plain');
      const random = async function* () {
        for (; pulled < 4_096; pulled += 1) {
          yield crypto.getRandomValues(new Uint8Array(16_384));
        }
      };
      ctx.send(Readable.from(random()));
    });
    const sent = request(url, gzip).end();
    const [response]: IncomingMessage[] = await once(sent, 'response');
    let before = -1;
    await expect
      .poll(
        () => {
          const hasStopped = pulled > 0 && pulled === before;
          before = pulled;
          return hasStopped;
        },
        { interval: 200 },
      )
      .toBe(true);
    expect(pulled).toBeLessThan(4_096);
    expect(response?.statusCode).toBe(200);
    sent.destroy();
  });

  it('keeps a small body as it is', async () => {
    const { headers, body } = await send(await serve(compress, hello), gzip);
    expect(headers).toMatchObject({ 'content-length': '17' });
    expect(headers).not.toHaveProperty('content-encoding');
    expect(body.toString()).toBe('{"hello":"world"}');
  });

  it('keeps a HEAD response without a body', async () => {
    const url = await serve(compress, (ctx) => ctx.json({ text }));
    const { status, headers, body } = await send(url, { ...gzip, method: 'HEAD' });
    expect([status, body.length]).toEqual([200, 0]);
    expect(headers).toMatchObject({ 'content-length': '9011' });
  });

  it('keeps a 304 without a body', async () => {
    const url = await serve(compress, etag(), (ctx) => ctx.json({ text }));
    const first = await send(url, gzip);
    expect(first.headers['content-encoding']).toBe('gzip');
    const headers = { ...gzip.headers, 'if-none-match': String(first.headers.etag) };
    const second = await send(url, { headers });
    expect([second.status, second.body.length]).toEqual([304, 0]);
    expect(second.headers).not.toHaveProperty('content-encoding');
  });

  it('leaves server-sent events as they are', async () => {
    const url = await serve(connect(compression({ threshold: 0 })), (ctx) =>
      sendEvents(ctx, Readable.from([{ data: 'a' }])),
    );
    const { headers, body } = await send(url, gzip);
    expect(headers).not.toHaveProperty('content-encoding');
    expect(body.toString()).toBe('data: a\n\n');
  });

  it('compresses an error', async () => {
    const url = await serve(connect(compression({ threshold: 0 })), () => {
      throw new HttpError(409, 'conflict');
    });
    const { status, headers, body } = await send(url, gzip);
    expect([status, headers['content-encoding']]).toEqual([409, 'gzip']);
    expect(JSON.parse(gunzipSync(body).toString())).toMatchObject({ detail: 'conflict' });
  });
});

describe('morgan', () => {
  /** Serves an application with morgan, and returns its URL and its lines. */
  async function serveLogged(...middleware: readonly Middleware[]) {
    const lines: string[] = [];
    const stream = { write: (line: string) => void lines.push(line.trimEnd()) };
    const log = connect(
      morgan(':method :url :status :res[content-length] :response-time', { stream }),
    );
    const url = await serve(log, ...middleware);
    return { url, lines };
  }

  it('logs the method, the URL, the status, the length and the time', async () => {
    const { url, lines } = await serveLogged((ctx, next) => {
      if (ctx.path === '/missing') return next();
      if (ctx.path === '/broken') throw new Error('Broken.');
      hello(ctx);
    });
    await (await fetch(`${url}/a?b=1`)).text();
    await (await fetch(`${url}/missing`)).text();
    const broken = await fetch(`${url}/broken`);
    const { length } = await broken.text();
    await expect.poll(() => lines.length).toBe(3);
    expect(lines[0]).toMatch(/^GET \/a\?b=1 200 17 \d+\.\d{3}$/);
    expect(lines[1]).toMatch(/^GET \/missing 404 \d+ \d+\.\d{3}$/);
    expect(lines[2]).toMatch(new RegExp(`^GET /broken 500 ${length} \\d+\\.\\d{3}$`));
  });
});

/** Options of a session that is saved only when something changes it. */
const SESSION = { secret: 'x'.repeat(32), resave: false, saveUninitialized: false };

/** A store that saves asynchronously. */
class SlowStore extends session.MemoryStore {
  override set(id: string, data: session.SessionData, callback?: (error?: unknown) => void): void {
    void setImmediate().then(() => super.set(id, data, callback));
  }
}

/** Counts the requests of a session. */
const countRequests: Middleware = (ctx) => {
  const current = Object(ctx.state.session);
  current.count = (current.count ?? 0) + 1;
  if (ctx.path === '/stream') ctx.send(Readable.from(['count ', String(current.count)]));
  else if (ctx.path === '/empty') ctx.status = 204;
  else ctx.json(current.count);
};

/** The `Cookie` header that a client sends after a response. */
function cookieOf({ headers }: Pick<Awaited<ReturnType<typeof send>>, 'headers'>): string {
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

describe('express-session', () => {
  it.each([
    ['', (count: number) => String(count)],
    ['/stream', (count: number) => `count ${count}`],
    ['/empty', () => ''],
  ])('keeps a session across requests to /%s', async (path, bodyAt) => {
    const store = new SlowStore();
    const url = await serve(
      connect(session({ ...SESSION, store }), { state: ['session'] }),
      countRequests,
    );
    const first = await send(url + path);
    const cookie = cookieOf(first);
    expect(cookie).toMatch(/^connect\.sid=/);
    expect(first.body.toString()).toBe(bodyAt(1));
    const second = await send(url + path, { headers: { cookie } });
    expect(second.body.toString()).toBe(bodyAt(2));
    expect(second.headers).not.toHaveProperty('set-cookie');
  });

  it('saves the session before the response is complete', async () => {
    const store = new SlowStore();
    const url = await serve(
      connect(session({ ...SESSION, store }), { state: ['session'] }),
      countRequests,
    );
    await send(url);
    const saved = Promise.withResolvers<number | undefined>();
    store.length((_error, length) => saved.resolve(length));
    expect(await saved.promise).toBe(1);
  });

  it('adds its cookie to those of the application, also to an error', async () => {
    const url = await serve(connect(session({ ...SESSION, saveUninitialized: true })), (ctx) => {
      ctx.append('Set-Cookie', 'a=1');
      throw new HttpError(409, 'conflict');
    });
    const { status, headers } = await send(url);
    expect(status).toBe(409);
    expect(headers['set-cookie']).toEqual(['a=1', expect.stringMatching(/^connect\.sid=/)]);
  });

  it('reports a session that cannot be saved', async () => {
    const store = new session.MemoryStore();
    store.set = (_id, _data, callback) => callback?.(new Error('The store is gone.'));
    const errors: unknown[] = [];
    const onError = (error: unknown) => void errors.push(error);
    const url = await serve(
      connect(session({ ...SESSION, store }), { state: ['session'], onError }),
      countRequests,
    );
    expect((await send(url)).status).toBe(200);
    await expect.poll(() => errors).toEqual([new Error('The store is gone.')]);
  });

  it('works together with compression, helmet and morgan', async () => {
    const lines: string[] = [];
    const text = 'fairlead '.repeat(1_000);
    const url = await serve(
      connect(morgan(':status', { stream: { write: (line) => void lines.push(line) } })),
      connect(helmet()),
      connect(compression()),
      connect(session({ ...SESSION, store: new SlowStore() }), { state: ['session'] }),
      (ctx) => {
        Object(ctx.state.session).seen = true;
        ctx.json(text);
      },
    );
    const { headers, body } = await send(url, { headers: { 'accept-encoding': 'gzip' } });
    expect(headers).toMatchObject({
      'content-encoding': 'gzip',
      'x-frame-options': 'SAMEORIGIN',
      'set-cookie': [expect.stringMatching(/^connect\.sid=/)],
    });
    expect(JSON.parse(gunzipSync(body).toString())).toBe(text);
    await expect.poll(() => lines).toEqual(['200\n']);
  });
});

describe('passport', () => {
  const ADA = { name: 'Ada' };
  const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
  const JSON_TYPE = { 'content-type': 'application/json' };

  /** Serves an application with a login form, a JSON login, and a page for users. */
  async function serveLogin(): Promise<string> {
    const passport = new Passport();
    passport.use(
      new Strategy((username, password, done) => {
        if (username === 'broken') done(new Error('The directory is gone.'));
        else done(null, password === 'lovelace' && ADA);
      }),
    );
    passport.serializeUser((_user, done) => done(null, 'Ada'));
    passport.deserializeUser((name, done) => done(null, name === 'Ada' && ADA));
    const router = createRouter()
      .post(
        '/login',
        connect(
          passport.authenticate('local', { successRedirect: '/me', failureRedirect: '/login' }),
        ),
      )
      .post('/session', connect(passport.authenticate('local')), (ctx) =>
        ctx.json({ user: ctx.state.user }),
      )
      .post('/strict', connect(passport.authenticate('local', { failWithError: true })))
      .post(
        '/logout',
        connect((req, _res, next) => Reflect.get(req, 'logout').call(req, next)),
        (ctx) => {
          ctx.status = 204;
        },
      )
      .get('/me', (ctx) => ctx.json(ctx.state.user ?? null));
    return serve(
      urlencoded(),
      connect(session({ ...SESSION, store: new SlowStore() })),
      connect(passport.session(), { state: ['user'] }),
      router,
    );
  }

  it('logs in with a form, and redirects', async () => {
    const url = await serveLogin();
    const login = await send(
      `${url}/login`,
      { method: 'POST', headers: FORM },
      'username=ada&password=lovelace',
    );
    expect([login.status, login.headers.location]).toEqual([302, '/me']);
    const headers = { cookie: cookieOf(login) };
    expect((await send(`${url}/me`, { headers })).body.toString()).toBe('{"name":"Ada"}');
    expect((await send(`${url}/me`)).body.toString()).toBe('null');
    expect((await send(`${url}/logout`, { method: 'POST', headers })).status).toBe(204);
    expect((await send(`${url}/me`, { headers })).body.toString()).toBe('null');
  });

  it('redirects after a failed login', async () => {
    const url = await serveLogin();
    const login = await send(`${url}/login`, { method: 'POST', headers: FORM }, 'username=ada');
    expect([login.status, login.headers.location]).toEqual([302, '/login']);
  });

  it('logs in with JSON', async () => {
    const url = await serveLogin();
    const login = await send(
      `${url}/session`,
      { method: 'POST', headers: JSON_TYPE },
      '{"username":"ada","password":"lovelace"}',
    );
    expect([login.status, login.body.toString()]).toEqual([200, '{"user":{"name":"Ada"}}']);
    const headers = { cookie: cookieOf(login) };
    expect((await send(`${url}/me`, { headers })).body.toString()).toBe('{"name":"Ada"}');
  });

  it.each([
    ['/session', 'text', /^Unauthorized$/],
    ['/strict', 'a problem body', /"status":401,"detail":"Unauthorized"/],
  ])('refuses a wrong password at %s with 401 and %s', async (path, _, expected) => {
    const url = await serveLogin();
    const { status, body } = await send(
      `${url}${path}`,
      { method: 'POST', headers: JSON_TYPE },
      '{"username":"ada","password":"x"}',
    );
    expect(status).toBe(401);
    expect(body.toString()).toMatch(expected);
  });

  it('passes errors of a strategy to the error handler', async () => {
    const url = await serveLogin();
    const { status } = await send(
      `${url}/session`,
      { method: 'POST', headers: JSON_TYPE },
      '{"username":"broken","password":"x"}',
    );
    expect(status).toBe(500);
  });
});

describe('Express', () => {
  it('runs applications and routers with all of their API', async () => {
    const old = express();
    old.use(express.json());
    old.post('/old', (req, res) => {
      res.status(201).json({ body: req.body, query: req.query, type: req.get('content-type') });
    });
    const router = express.Router();
    router.get('/router', (_req, res) => res.redirect('/old'));
    const url = await serve(
      createRouter().get('/new', hello),
      connect(express().use(router)),
      connect(old),
    );
    const created = await fetch(`${url}/old?a=1&a=2`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"b":3}',
    });
    expect([created.status, await created.json()]).toEqual([
      201,
      { body: { b: 3 }, query: { a: ['1', '2'] }, type: 'application/json' },
    ]);
    expect((await send(`${url}/router`)).headers.location).toBe('/old');
    expect((await fetch(`${url}/new`)).status).toBe(200);
    expect((await fetch(`${url}/missing`)).status).toBe(404);
  });

  it('receives the events of requests without a body', async () => {
    const closed: string[] = [];
    const old = express();
    old.use((req, _res, next) => {
      req.on('close', () => closed.push(req.path));
      req.on('data', () => undefined).on('end', next);
    });
    old.get('/old', (_req, res) => res.send('old'));
    const url = await serve(connect(old));
    expect((await send(`${url}/old`)).body.toString()).toBe('old');
    expect((await send(`${url}/missing`)).status).toBe(404);
    await expect.poll(() => closed).toEqual(['/old', '/missing']);
    const read = connect((req, _res, next) => void req.on('end', next).resume());
    expect((await send(await serve(read, hello))).status).toBe(200);
  });

  it('parses bodies for the application, when nothing else does', async () => {
    const url = await serve(connect(express.urlencoded()), (ctx) => ctx.json(ctx.body));
    const response = await fetch(url, { method: 'POST', body: new URLSearchParams({ a: '1' }) });
    expect(await response.json()).toEqual({ a: '1' });
  });
});
