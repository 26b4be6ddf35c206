import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { ConflictError, createApp, createRouter, intended, type Middleware } from '@fairlead/core';
import { compression } from '@fairlead/middleware';
import npmCompression from 'compression';
import express from 'express';
import expressSession from 'express-session';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ConnectMiddleware, connect } from '../src/index.js';

const cookieSession = createRequire(import.meta.url)('old-cookie-session');

const text = 'fairlead '.repeat(1_000);
const later: Middleware = async (ctx, next) => {
  await next();
  ctx.set('X-Late', '1');
};
const early: Middleware = (ctx, next) => {
  ctx.set('X-Early', '1');
  return next();
};

const createOld = () => express().get('/', (_req, res) => void res.send(text));

/** Sends three requests, and returns the warnings. */
async function warningsOf(...middleware: readonly Middleware[]): Promise<readonly string[]> {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  onTestFinished(() => warned.mockRestore());
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const app = createApp().use(...middleware);
  for (let count = 0; count < 3; count += 1) {
    const response = await app.request('/', { headers: { 'Accept-Encoding': 'gzip' } });
    await response.arrayBuffer();
  }
  vi.runAllTimers();
  return warned.mock.calls.map(([message]) => String(message));
}

it.each<[string, Middleware[], string]>([
  ['a header that is set after next()', [later], 'are not sent: X-Late. Set them before next(),'],
  [
    'compression()',
    [compression()],
    'does not compress it. Use the package compression: connect(compression()).',
  ],
])('%s is a warning, once, when an Express application responds', async (_, before, expected) => {
  expect(await warningsOf(...before, connect(createOld()))).toEqual([
    expect.stringMatching(
      /^The Express middleware 'app' has responded to GET \/ itself, so .+\n {2}At: /s,
    ),
  ]);
  expect((await warningsOf(...before, connect(createOld())))[0]).toContain(expected);
});

const passing: ConnectMiddleware = (_req, _res, next) => next();

it.each<[string, Middleware[]]>([
  ['headers that are set before next()', [early, connect(createOld())]],
  ['compression of the package', [connect(npmCompression()), connect(createOld())]],
  ['a response of Fairlead', [later, compression(), connect(passing), (ctx) => ctx.send(text)]],
  ['an intended application', [later, connect(intended(createOld()))]],
  ['a short response', [compression(), connect((_req, res) => void res.end('short'))]],
])('%s is none', async (_, middleware) => {
  expect(await warningsOf(...middleware)).toEqual([]);
});

it('what an option of other middleware throws about the response of an Express application is reported', async () => {
  const errors: unknown[] = [];
  const skip = () => {
    throw new Error('There is no user.');
  };
  const app = createApp({ onError: (error) => errors.push(error) });
  app.use(compression({ skip }), connect(createOld()));
  const response = await app.request('/', { headers: { 'Accept-Encoding': 'gzip' } });
  expect(await response.text()).toBe(text);
  await expect.poll(() => errors.map(String)).toEqual(['Error: There is no user.']);
});

/** The kinds of responses that follow Express middleware. */
const RESPONSES: [string, Middleware][] = [
  ['text', (ctx) => ctx.send(text)],
  ['later JSON', async (ctx) => ctx.json(await Promise.resolve({ text }))],
  ['a stream', (ctx) => ctx.respond(Readable.from([Buffer.from(text)]))],
  ['a web Response', (ctx) => ctx.respond(new Response(text))],
  ['the raw response', (ctx) => void ctx.takeOver().writeHead(200).end(text)],
  ['other Express middleware', connect((_req, res) => void res.writeHead(200).end(text))],
  ['an Express application', connect(createOld())],
  ['a redirect', (ctx) => ctx.redirect('/')],
  ['an error', () => Promise.reject(new ConflictError('No.'))],
];

const SESSION = { secret: 'x'.repeat(32), resave: false, saveUninitialized: true };

describe.each(RESPONSES)(
  'Express middleware that changes the response applies to %s',
  (_, respond) => {
    const change = connect((req, _res, next) => {
      Object.assign(Reflect.get(req, 'session'), { user: 'Ada' });
      next();
    });
    const compress = () => connect(npmCompression({ filter: () => true, threshold: 1 }));

    it.each<[string, () => Middleware]>([
      ['express-session', () => connect(expressSession(SESSION))],
      ['cookie-session', () => connect(cookieSession({ keys: ['x'] }))],
    ])('with the cookie of %s, and compressed', async (_name, createSession) => {
      const list = [compress(), createSession(), change];
      const apps = [
        createApp()
          .use(...list)
          .get('/', respond),
        createApp().route(
          '/',
          createRouter()
            .use(...list)
            .get('/', respond),
        ),
      ];
      for (const app of apps) {
        const response = await app.request('/', {
          headers: { 'Accept-Encoding': 'gzip' },
          redirect: 'manual',
        });
        const hasBody = (await response.arrayBuffer()).byteLength > 0;
        expect(response.headers.getSetCookie().length).toBeGreaterThan(0);
        expect(response.headers.get('Content-Encoding')).toBe(hasBody ? 'gzip' : null);
      }
    });
  },
);

it('headers that Express middleware sets after next() are sent, if a route of Fairlead responds', async () => {
  const late: ConnectMiddleware = (_req, res, next) => {
    next();
    res.setHeader('X-Late', '1');
  };
  const app = createApp()
    .use(connect(late))
    .get('/now', () => 'now')
    .get('/later', async () => 'later');
  const responses = await Promise.all(['/now', '/later'].map((path) => app.request(path)));
  expect(responses.map(({ headers }) => headers.get('X-Late'))).toEqual(['1', '1']);
});
