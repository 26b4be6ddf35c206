import { setImmediate } from 'node:timers/promises';
import {
  type Application,
  createApp,
  errorHandler,
  intended,
  type Middleware,
  notFoundHandler,
} from '@fairlead/core';
import { describe as describeFunction } from '@fairlead/core/extend';
import { warningsOf } from '@fairlead/test-support/start-warnings';
import { describe, expect, it, vi } from 'vitest';
import { type StaticOptions, serveStatic } from '../src/index.js';
import { provideFolder } from './support/folder.js';
import { serving } from './support/serve.js';

const folder = provideFolder();

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const request = (path: string, accept = BROWSER, method = 'GET') =>
  serving(folder, { fallback: 'page.html' }).request(path, {
    method,
    headers: { Accept: accept },
  });

describe('the fallback', () => {
  it.each([
    '/users/7',
    '/users/7/',
    '/',
    '/users/jane.doe',
    '/users/ada@example.com',
    '/packages/lodash.js',
    '/releases/1.2.zip',
    '/old/page.html',
    '/docs/missing.txt',
    '/a/b/c?d=e',
  ])('is served to a browser that navigates to %s', async (path) => {
    const response = await request(path);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('<p>é</p>');
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('Vary')).toBe('Accept');
  });

  it('has the same headers for HEAD', async () => {
    const response = await request('/users/7', BROWSER, 'HEAD');
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Length')).toBe('9');
  });

  it.each([
    ['a script', '/assets/missing.js', '*/*'],
    ['a style', '/assets/missing.css', 'text/css,*/*;q=0.1'],
    ['an image', '/missing.png', 'image/avif,image/webp,image/svg+xml,image/*,*/*;q=0.8'],
    ['a script without an extension', '/users/7', '*/*'],
  ])('is not served to %s', async (_, path, accept) => {
    for (const method of ['GET', 'HEAD'])
      expect((await request(path, accept, method)).status).toBe(404);
  });

  it.each(['/.env', '//a'])('is not served for %s', async (path) => {
    expect((await request(path)).status).toBe(404);
  });

  it.each(['*/*', 'application/json', 'text/css,*/*;q=0.1', 'image/avif,*/*', 'text/html;q=0', ''])(
    'is not served for Accept: %s',
    async (accept) => {
      const response = await request('/users/7', accept);
      expect(response.status).toBe(404);
      expect(response.headers.get('Vary')).toBe('Accept');
    },
  );

  it.each(['POST', 'PUT', 'DELETE'])('is not served for %s', async (method) => {
    expect((await request('/users/7', BROWSER, method)).status).toBe(404);
  });

  it('comes after the files', async () => {
    expect(await (await request('/a.txt')).text()).toBe('0123456789');
    expect(await (await request('/docs/')).text()).toBe('docs');
  });

  it('comes after routes, and does not replace the 404 of a prefix', async () => {
    const app = createApp()
      .use(errorHandler())
      .get('/api/users', () => [])
      .use('/api', notFoundHandler())
      .use(serveStatic(folder.root, { fallback: 'page.html' }));
    const headers = { Accept: BROWSER };
    expect(await (await app.request('/api/users', { headers })).json()).toEqual([]);
    expect((await app.request('/api/missing', { headers })).status).toBe(404);
    expect((await app.request('/missing', { headers })).status).toBe(200);
  });

  it.each<[string, number, (files: (options?: StaticOptions) => Middleware) => Application]>([
    ['is registered before routes', 1, (files) => createApp().use(files())],
    ['has a prefix', 1, (files) => createApp().use('/api', files({ prefix: '/api' }))],
    ['is below another prefix', 0, (files) => createApp().use(files({ prefix: '/app' }))],
    ['is for paths of other routes', 0, (files) => createApp().use('/app', files())],
    ['is intended', 0, (files) => createApp().use('/api', intended(files()))],
    ['does not exist', 0, () => createApp().use(serveStatic(folder.root))],
  ])('that %s causes %i warnings about routes', (_case, count, create) => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    const files = (options?: StaticOptions) =>
      serveStatic(folder.root, { fallback: 'page.html', ...options });
    create(files)
      .get('/api/users/:id', () => [])
      .get('/api/openapi.json', () => ({}))
      .get('/api/*path', () => 'anything else')
      .post('/api/users', () => ({}))
      .seal();
    const message =
      'serveStatic() sends its fallback to browsers that open a route after it: GET /api/users/:id, GET /api/openapi.json. Register it after the routes, or pass it to intended().';
    const warning = [
      expect.stringContaining(`${message}\n  At: `),
      { type: 'FairleadWarning', code: 'FAIRLEAD_ORDER' },
    ];
    expect(emitWarning.mock.calls).toEqual(Array.from({ length: count }, () => warning));
  });

  it('can be missing', async () => {
    const app = serving(folder, { fallback: 'missing.html' });
    expect((await app.request('/users/7', { headers: { Accept: BROWSER } })).status).toBe(404);
  });

  it.each([
    ['missing.html', (one: Middleware) => one, 1],
    ['missing.html', intended<Middleware>, 0],
    ['page.html', (one: Middleware) => one, 0],
  ])('%s causes warnings when the middleware is created: %#', async (fallback, mark, count) => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    mark(serveStatic(folder.root, { fallback }));
    await setImmediate();
    const message = `serveStatic() cannot find its fallback 'missing.html' in '${folder.root}'. Correct the path, or build the file. If it is built later, pass the middleware to intended().`;
    const warning = [
      expect.stringContaining(`${message}\n  At: test/fallback.test.ts:`),
      { type: 'FairleadWarning', code: 'FAIRLEAD_FALLBACK' },
    ];
    expect(emitWarning.mock.calls).toEqual(Array.from({ length: count }, () => warning));
  });
});

describe('the start warns about a fallback', () => {
  const create = (options: StaticOptions = {}) =>
    serveStatic(folder.root, { fallback: 'app.html', ...options });
  const policy = (value: string) =>
    describeFunction<Middleware>((_ctx, next) => next(), {
      name: 'secureHeaders()',
      role: 'middleware',
      policy: value,
    });
  const year = 'public, max-age=31536000, immutable';

  it.each(["default-src 'none'", "default-src *; script-src 'none'", "Script-Src-Elem 'NONE'; x"])(
    'whose scripts the policy %s does not allow',
    (value) => {
      expect(warningsOf(createApp().use(policy(value), create()))).toEqual([
        expect.stringContaining(
          "The Content-Security-Policy of secureHeaders() lets browsers run no script of 'app.html', the fallback of serveStatic(). Pass another policy to secureHeaders(), such as \"default-src 'self'\", return one from the option headers, or pass serveStatic() to intended() if the page works without them.",
        ),
      ]);
    },
  );

  it.each<[string, () => readonly Middleware[]]>([
    ['the policy allows some', () => [policy("default-src 'none'; script-src 'self'"), create()]],
    ['the policy is about something else', () => [policy("frame-ancestors 'none'"), create()]],
    [
      'a later policy does',
      () => [policy("default-src 'none'"), policy('default-src *'), create()],
    ],
    ['headers may set one', () => [policy("default-src 'none'"), create({ headers: () => ({}) })]],
    [
      'the page has no script',
      () => [policy("default-src 'none'"), create({ fallback: 'page.html' })],
    ],
    ['it is intended', () => [policy("default-src 'none'"), intended(create())]],
  ])('not if %s', (_, functions) => {
    expect(warningsOf(createApp().use(...functions()))).toEqual([]);
  });

  it.each([year, 'max-age=86400'])('that browsers keep with %s', (cacheControl) => {
    expect(warningsOf(createApp().use(create({ cacheControl })))).toEqual([
      expect.stringContaining(
        `serveStatic() sends 'app.html' with Cache-Control: ${cacheControl}, so browsers that have it miss new releases. Return a shorter time for it from the option headers, as in headers: (path) => (path === 'app.html' ? { 'Cache-Control': 'no-cache' } : {}), or pass serveStatic() to intended().`,
      ),
    ]);
  });

  it('and about an index that never changes', () => {
    const options = { cacheControl: year, index: 'app.html' };
    expect(warningsOf(createApp().use(serveStatic(folder.root, options)))).toEqual([
      expect.stringContaining("serveStatic() sends 'app.html' with Cache-Control"),
    ]);
  });

  it.each<[StaticOptions]>([
    [{ cacheControl: 'max-age=3600' }],
    [{ cacheControl: 's-maxage=31536000' }],
    [{ cacheControl: 'max-age=31536000, no-cache' }],
    [{ cacheControl: false }],
    [{ cacheControl: year, headers: () => ({}) }],
  ])('not with %o', (options) => {
    expect(warningsOf(createApp().use(create(options)))).toEqual([]);
  });
});
