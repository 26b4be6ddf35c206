import { once } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createApp,
  errorHandler,
  etag,
  json,
  type Middleware,
  NotFoundError,
  raw,
  requestId,
  secureHeaders,
  text,
  timeout,
  urlencoded,
} from '../src/index.js';

describe('secureHeaders()', () => {
  it('covers errors, and handlers and options override it', async () => {
    const app = createApp()
      .use(errorHandler(), secureHeaders({ 'x-frame-options': false, 'X-Own': 'yes' }))
      .use((ctx) => {
        ctx.set('Referrer-Policy', 'origin');
        throw new NotFoundError();
      });
    const { headers } = await app.request('/');
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(headers.get('Strict-Transport-Security')).toBe('max-age=31536000; includeSubDomains');
    expect(headers.get('Origin-Agent-Cluster')).toBe('?1');
    expect(headers.get('X-Permitted-Cross-Domain-Policies')).toBe('none');
    expect(headers.get('X-Frame-Options')).toBeNull();
    expect(headers.get('X-Own')).toBe('yes');
    expect(headers.get('Referrer-Policy')).toBe('origin');
  });
});

describe('a nonce', () => {
  const policy = "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'";
  const app = createApp().use(
    errorHandler(),
    secureHeaders({ 'Content-Security-Policy': policy, 'X-Nonce': '{nonce}' }),
    (ctx) => ctx.json(ctx.state.cspNonce),
  );

  it('is in the headers and in the state, and differs in each request', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => app.request('/')));
    const nonces = await Promise.all(
      responses.map(async (response) => {
        const nonce = String(await response.json());
        expect(response.headers.get('Content-Security-Policy')).toBe(
          policy.replaceAll('{nonce}', nonce),
        );
        expect(response.headers.get('X-Nonce')).toBe(nonce);
        expect(nonce).toMatch(/^[A-Za-z\d+/]{22}==$/);
        return nonce;
      }),
    );
    expect(new Set(nonces).size).toBe(20);
  });

  it('is not created without a place for it', async () => {
    const plain = createApp().use(secureHeaders(), (ctx) => ctx.json(ctx.state.cspNonce ?? null));
    expect(await (await plain.request('/')).json()).toBeNull();
  });
});

describe('etag()', () => {
  const app = createApp().use(etag(), (ctx) => {
    if (ctx.path === '/dated') ctx.set('Last-Modified', 'Wed, 21 Oct 2026 07:28:00 GMT');
    if (ctx.path === '/created') ctx.status = 201;
    ctx.json({ path: ctx.path });
  });
  const get = (path: string, headers = {}, method = 'GET') =>
    app.request(path, { method, headers });

  it("adds the ETag of the response's bytes", async () => {
    const [one, again, other] = await Promise.all([get('/a'), get('/a'), get('/b')]);
    expect(one.headers.get('ETag')).toMatch(/^"[\w-]{27}"$/);
    expect(again.headers.get('ETag')).toBe(one.headers.get('ETag'));
    expect(other.headers.get('ETag')).not.toBe(one.headers.get('ETag'));
  });

  it.each(['GET', 'HEAD'])(
    "responds with 304 to a %s when the client's copy is current",
    async (method) => {
      const tag = (await get('/a')).headers.get('ETag');
      const response = await get('/a', { 'If-None-Match': `"x", W/${tag}` }, method);
      expect(response.status).toBe(304);
      expect(response.headers.get('ETag')).toBe(tag);
      expect(response.headers.get('Content-Length')).toBeNull();
      expect(await response.text()).toBe('');
    },
  );

  it('sends a changed response completely', async () => {
    expect((await get('/a', { 'If-None-Match': '"x"' })).status).toBe(200);
  });

  it('uses If-Modified-Since only without If-None-Match', async () => {
    const since = { 'If-Modified-Since': 'Wed, 21 Oct 2026 07:28:00 GMT' };
    expect((await get('/dated', since)).status).toBe(304);
    expect((await get('/dated', { ...since, 'If-None-Match': '"x"' })).status).toBe(200);
    const before = { 'If-Modified-Since': 'Wed, 21 Oct 2026 07:27:59 GMT' };
    expect((await get('/dated', before)).status).toBe(200);
    expect((await get('/a', since)).status).toBe(200);
  });

  it('ignores other statuses and methods', async () => {
    expect((await get('/created')).headers.get('ETag')).toBeNull();
    expect((await get('/a', { 'If-None-Match': '*' }, 'POST')).status).toBe(200);
  });
});

describe('timeout()', () => {
  it('responds with 503 once, aborts the signal, and ignores a late response', async () => {
    const late = Promise.withResolvers<void>();
    const reasons: unknown[] = [];
    const onError = vi.fn();
    const app = createApp().use(errorHandler({ onError }), timeout(5), async (ctx) => {
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
      reasons.push(ctx.signal.reason);
      ctx.status = 200;
      ctx.json('late');
      late.resolve();
    });
    const response = await app.request('/slow');
    await late.promise;
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      code: 'TIMED_OUT',
      detail: 'Service Unavailable',
    });
    expect(reasons).toEqual([expect.objectContaining({ code: 'TIMED_OUT' })]);
    expect(onError).toHaveBeenCalledTimes(1);
  });

  it('passes on a timely response and a timely error', async () => {
    const app = createApp().use(errorHandler(), timeout(60_000), async (ctx) => {
      await null;
      if (ctx.path === '/error') throw new NotFoundError();
      ctx.json('quick');
    });
    expect(await (await app.request('/')).json()).toBe('quick');
    expect((await app.request('/error')).status).toBe(404);
  });

  it.each([503, 504] as const)('responds with the status %i', async (status) => {
    const errors: unknown[] = [];
    const app = createApp()
      .use(errorHandler({ onError: (error) => errors.push(error) }), timeout(1, { status }))
      .use((ctx) => once(ctx.signal, 'abort').then(() => new Promise(() => undefined)));
    const response = await app.request('/');
    expect([response.status, await response.json()]).toEqual([
      status,
      expect.objectContaining({ status, code: 'TIMED_OUT' }),
    ]);
    expect(errors).toEqual([expect.objectContaining({ status, code: 'TIMED_OUT' })]);
  });

  it('stands still while that of a route runs, which may take longer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const begun = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    const app = createApp()
      .use(timeout(1_000), async (_ctx, next) => {
        await null;
        await next();
      })
      .get('/', timeout(60_000), async () => {
        begun.resolve();
        await finish.promise;
        return 'done';
      });
    const response = app.request('/');
    await begun.promise;
    vi.advanceTimersByTime(59_000);
    finish.resolve();
    expect(await (await response).json()).toBe('done');
  });

  it('of a route applies to the route', async () => {
    const app = createApp({ onError: () => undefined })
      .use(timeout(60_000))
      .get('/', timeout(1), () => new Promise(() => undefined));
    const response = await app.request('/');
    expect(await response.json()).toMatchObject({ status: 503, code: 'TIMED_OUT' });
  });

  it.each<[string, Middleware]>([
    ['synchronous', (_ctx, next) => next()],
    ['asynchronous', async (_ctx, next) => next()],
  ])('runs again once that of a route has ended after %s middleware', async (_what, before) => {
    const app = createApp({ onError: () => undefined })
      .use(timeout(5), async (_ctx, next) => {
        await next();
        await new Promise(() => undefined);
      })
      .get('/', before, timeout(60_000), async () => 'done')
      .get('/sync', before, timeout(60_000), () => 'done');
    for (const path of ['/', '/sync']) {
      expect((await app.request(path)).status).toBe(503);
    }
  });

  it.each([{ status: 500 }, { statuscode: 504 }])('refuses the options %j', (options) => {
    expect(() => Reflect.apply(timeout, undefined, [1, options])).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });

  it.each([0, -1, 1.5, Number.NaN, 2 ** 31])('refuses %s milliseconds', (milliseconds) => {
    expect(() => timeout(milliseconds)).toThrow(
      expect.objectContaining({ code: 'INVALID_TIMEOUT' }),
    );
  });
});

it.each([
  ['json', json()],
  ['text', text()],
  ['raw', raw()],
  ['urlencoded', urlencoded()],
])('the parser %s is named', (name, parser) => {
  expect(parser.name).toBe(name);
});

it.each([() => secureHeaders({ 'X-A': 'a\nb' }), () => requestId({ header: 'bad header' })])(
  'a header that cannot be sent is refused when the middleware is made',
  (create) => {
    expect(create).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
  },
);
