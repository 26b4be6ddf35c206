import { join } from 'node:path';
import { createApp, createRouter, notFoundHandler } from '@fairlead/core';
import { descriptionOf } from '@fairlead/core/extend';
import { describe, expect, it } from 'vitest';
import { download, type StaticOptions, sendFile, serveStatic } from '../src/index.js';
import { provideFolder } from './support/folder.js';
import { getter, serving } from './support/serve.js';

const folder = provideFolder();

const appOf = (options?: StaticOptions) => serving(folder, options);

describe('prefix', () => {
  it('is the path prefix of the files', async () => {
    const app = appOf({ prefix: '/assets' });
    expect((await app.request('/assets/docs/start.html')).status).toBe(200);
    expect((await app.request('/docs/start.html')).status).toBe(404);
    expect((await app.request('/assetsa.txt')).status).toBe(404);
    expect((await app.request('/assets-a.txt')).status).toBe(404);
  });

  it('can end with a slash', async () => {
    const app = appOf({ prefix: '/assets/' });
    expect((await app.request('/assets/docs/start.html')).status).toBe(200);
    expect((await app.request('/assets/docs/')).status).toBe(200);
    expect((await app.request('/docs/start.html')).status).toBe(404);
  });

  it("'/' selects the whole path, even after a wildcard route", async () => {
    const passOn = createRouter().get('/docs/*rest', (ctx) => ctx.next());
    const app = createApp()
      .route('/', passOn)
      .use(serveStatic(folder.root, { prefix: '/' }));
    expect(await (await app.request('/docs/start.html')).text()).toBe('start');
  });

  it.each([
    ['/assets/*path', '/assets/docs/start.html'],
    ['/*', '/docs/start.html'],
    ['/tenants/:id/files/*path', '/tenants/a%2Fb/files/docs/start.html'],
  ])('defaults to the part before the wildcard of %s', async (pattern, path) => {
    const app = createApp().route('/', createRouter().get(pattern, serveStatic(folder.root)));
    expect(await (await app.request(path)).text()).toBe('start');
  });

  it('includes the prefix of the router', async () => {
    const router = createRouter().get('/files/*path', serveStatic(folder.root));
    const app = createApp().route('/api', router).use(notFoundHandler());
    expect((await app.request('/api/files/a.txt')).status).toBe(200);
    expect((await app.request('/api/files/a.txt', { method: 'HEAD' })).status).toBe(200);
    expect((await app.request('/api/files/missing')).status).toBe(404);
    expect((await app.request('/api/files/a.txt', { method: 'PUT' })).status).toBe(405);
  });

  it.each([
    ['/assets', '/assets/docs/start.html'],
    ['/assets/', '/assets/docs/start.html'],
    ['/', '/docs/start.html'],
    ['/tenants/:id/files', '/tenants/a%2Fb/files/docs/start.html'],
  ])('defaults to that of app.use(%j)', async (prefix, path) => {
    const router = createRouter().get('/*rest', (ctx) => ctx.next());
    const app = createApp().route('/', router).use(prefix, serveStatic(folder.root));
    expect(await (await app.request(path)).text()).toBe('start');
    expect((await app.request('/other/docs/start.html')).status).toBe(404);
  });

  it('of app.use() ignores case if the application does', async () => {
    const app = createApp({ caseSensitive: false }).use('/Assets', serveStatic(folder.root));
    expect(await (await app.request('/assets/docs/start.html')).text()).toBe('start');
  });

  it('of app.use() redirects to the path with a trailing slash', async () => {
    const app = createApp().use('/assets', serveStatic(join(folder.root, 'docs')));
    const reply = await app.request('/assets');
    expect([reply.status, reply.headers.get('Location')]).toEqual([301, './assets/']);
    expect(await (await app.request('/assets/')).text()).toBe('docs');
  });

  it.each([
    ['/assets', '/assets', '/assets/docs/start.html'],
    ['/', '/assets', '/assets/docs/start.html'],
    ['/:tenant', '/assets/', '/assets/docs/start.html'],
    ['/%61ssets', '/assets', '/assets/docs/start.html'],
    ['/docs', '/', '/docs/start.html'],
  ])('takes precedence over that of app.use(%j): %j', async (mounted, prefix, path) => {
    const app = createApp().use(mounted, serveStatic(folder.root, { prefix }));
    expect(await (await app.request(path)).text()).toBe('start');
  });

  it.each([
    ['/public', '/assets'],
    ['/public/a', '/public/b'],
  ])('cannot exclude every path of app.use(%j): %j', (mounted, prefix) => {
    const app = createApp().use(mounted, serveStatic(folder.root, { prefix }));
    expect(() => app.seal()).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(
          `app.use('${mounted}') received serveStatic() with the prefix '${prefix}', so it would never serve a file. Omit one of the two prefixes.\n  At: `,
        ),
      }),
    );
  });

  it.each([
    'assets',
    '/assets//',
    '//',
    '/a//b',
    '/:id',
    '/*',
    '/a%20b',
    '/é',
    '/./a',
    '/a/..',
    '',
  ])('cannot be %j', (prefix) => {
    expect(() => serveStatic(folder.root, { prefix })).toThrow(
      expect.objectContaining({ code: 'INVALID_PATTERN' }),
    );
  });
});

describe('index', () => {
  it('is served for its directory', async () => {
    const response = await appOf().request('/docs/');
    expect(await response.text()).toBe('docs');
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  });

  it.each([
    ['/docs?a=1&b=%2F', undefined, './docs/?a=1&b=%2F'],
    ['/docs', undefined, './docs/'],
    ['/files/docs', '/files', './docs/'],
  ])('redirects %s relatively, to a trailing slash', async (target, prefix, location) => {
    const get = await getter(appOf({ prefix: prefix ?? '/' }));
    const reply = await get(target);
    expect(reply.status).toBe(301);
    expect(reply.headers.location).toBe(location);
  });

  it('redirects the prefix to the path with a trailing slash', async () => {
    const app = appOf({ prefix: '/start', index: 'a.txt' });
    const response = await app.request('/start', { redirect: 'manual' });
    expect(response.headers.get('Location')).toBe('./start/');
    expect(await (await app.request('/start/')).text()).toBe('0123456789');
  });

  it('can have another name', async () => {
    const response = await appOf({ index: 'start.html' }).request('/docs/');
    expect(await response.text()).toBe('start');
  });

  it.each(['/', '/docs/guide', '/docs/guide/'])(
    'is a 404 without a directory listing when %s has none',
    async (path) => {
      expect((await appOf().request(path)).status).toBe(404);
    },
  );

  it.each(['/docs', '/docs/'])('false serves nothing for %s', async (path) => {
    expect((await appOf({ index: false }).request(path)).status).toBe(404);
  });
});

describe('dotfiles', () => {
  const paths = ['/.env', '/.git/config', '/%2Eenv', '/.missing'];

  it.each(paths)('are not found by default: %s', async (path) => {
    expect((await appOf().request(path)).status).toBe(404);
    expect((await appOf({ dotfiles: 'ignore' }).request(path)).status).toBe(404);
  });

  it.each(paths)("are denied with 'deny': %s", async (path) => {
    expect((await appOf({ dotfiles: 'deny' }).request(path)).status).toBe(403);
  });

  it("are served with 'allow'", async () => {
    const response = await appOf({ dotfiles: 'allow' }).request('/.env');
    expect(await response.text()).toBe('KEY=1');
  });
});

describe('/.well-known', () => {
  it.each([undefined, 'ignore', 'deny'] as const)(
    'is served at the root of the host, with dotfiles: %s',
    async (dotfiles) => {
      const app = appOf(dotfiles && { dotfiles });
      const response = await app.request('/.well-known/security.txt');
      expect(await response.text()).toBe('contact');
    },
  );

  it.each([
    ['/docs/.well-known/b.txt', '/'],
    ['/.well-known/.hidden', '/'],
    ['/assets/.well-known/security.txt', '/assets'],
  ])('is a dotfile in %s below %s', async (path, prefix) => {
    expect((await appOf({ prefix }).request(path)).status).toBe(404);
    expect((await appOf({ prefix, dotfiles: 'deny' }).request(path)).status).toBe(403);
  });
});

describe('extensions', () => {
  const options = { extensions: ['.htm', '.html'] };

  it.each([
    ['/page', '<p>é</p>'],
    ['/page.html', '<p>é</p>'],
    ['/docs/start', 'start'],
    ['/no-extension', '?'],
  ])('are added to %s', async (path, text) => {
    const response = await appOf(options).request(path);
    expect(await response.text()).toBe(text);
  });

  it('determine the type', async () => {
    const response = await appOf(options).request('/page');
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  });

  it('are tried after the index of a directory, but before it is given up', async () => {
    const app = appOf(options);
    const redirect = await app.request('/docs');
    expect([redirect.status, redirect.headers.get('Location')]).toEqual([301, './docs/']);
    expect(await (await app.request('/both')).text()).toBe('beside the folder');
  });

  it.each(['/page/', '/', '/a', '/missing'])('are not added to %s', async (path) => {
    expect((await appOf(options).request(path)).status).toBe(404);
  });
});

describe('headers', () => {
  it('receives the path of the file and what the file system knows', async () => {
    const calls: unknown[] = [];
    const app = appOf({
      headers: (path, stats) => {
        calls.push([path, stats.size]);
        return { 'X-Path': path };
      },
    });
    const response = await app.request('/docs/');
    expect(response.headers.get('X-Path')).toBe('docs/index.html');
    await app.request('/with%20space%20%C3%A9.txt');
    expect(calls).toEqual([
      ['docs/index.html', 4],
      ['with space é.txt', 6],
    ]);
  });

  it('add to Vary', async () => {
    const headers = () => ({ vary: 'X-Tenant' });
    const app = createApp().use(
      (ctx, next) => {
        ctx.append('Vary', 'Origin');
        return next();
      },
      serveStatic(folder.root, { headers }),
    );
    expect((await app.request('/a.txt')).headers.get('Vary')).toBe('Origin, X-Tenant');
  });

  it('replace all others, in any case', async () => {
    const headers = () => ({ 'cache-control': 'no-cache', 'content-type': 'text/x-log' });
    const app = createApp().use(
      (ctx, next) => {
        ctx.set('Content-Type', 'text/plain');
        return next();
      },
      serveStatic(folder.root, { headers }),
    );
    const response = await app.request('/a.txt');
    expect(response.headers.get('Cache-Control')).toBe('no-cache');
    expect(response.headers.get('Content-Type')).toBe('text/x-log');
  });

  it.each([
    ['a file for HEAD', '/a.txt', 'HEAD'],
    ['an empty file', '/empty.txt', 'GET'],
  ])('keep a type without a charset: %s', async (_, path, method) => {
    const app = appOf({ headers: () => ({ 'Content-Type': 'text/x-log' }) });
    const response = await app.request(path, { method });
    expect(response.headers.get('Content-Type')).toBe('text/x-log');
  });

  it('can set the ETag that conditions are compared with', async () => {
    const app = appOf({ headers: () => ({ ETag: '"7"' }) });
    const response = await app.request('/a.txt', { headers: { 'If-None-Match': '"7"' } });
    expect(response.status).toBe(304);
  });

  it.each([
    ['throws', () => JSON.parse('{')],
    ['returns a header with a line break', () => ({ A: 'b\r\nc' })],
  ])('is a 500 when it %s', async (_, headers) => {
    expect((await appOf({ headers }).request('/a.txt')).status).toBe(500);
  });
});

describe('symlinks', () => {
  it("'inside' follows links that stay in the directory only", async () => {
    const app = appOf({ symlinks: 'inside' });
    expect(await (await app.request('/inner.txt')).text()).toBe('0123456789');
    expect(await (await app.request('/inner-docs/start.html')).text()).toBe('start');
    expect((await app.request('/a.txt')).status).toBe(200);
    expect((await app.request('/link.txt')).status).toBe(404);
    expect((await app.request('/outer/secret.txt')).status).toBe(404);
    expect((await app.request('/outer')).status).toBe(404);
    const follow = appOf({ symlinks: 'follow' });
    expect(await (await follow.request('/outer/secret.txt')).text()).toBe('secret');
  });

  it("'inside' serves a root that is a link itself", async () => {
    const app = createApp().use(
      serveStatic(join(folder.root, 'inner-docs'), { symlinks: 'inside' }),
    );
    expect(await (await app.request('/start.html')).text()).toBe('start');
  });
});

describe('cacheControl', () => {
  it('by default, shared caches store no response to a request with Authorization, and always ask', async () => {
    const file = join(folder.root, 'a.txt');
    const app = createApp()
      .use(serveStatic(folder.root))
      .get('/sent', (ctx) => sendFile(ctx, file))
      .get('/saved', (ctx) => download(ctx, file));
    const headers = { Authorization: 'Bearer 1' };
    const responses = await Promise.all(
      ['/a.txt', '/sent', '/saved'].map((path) => app.request(path, { headers })),
    );
    const values = responses.map((response) => response.headers.get('Cache-Control'));
    // RFC 9111 §3.5: public, s-maxage and must-revalidate would let them store it.
    expect(values).toEqual(['no-cache', 'no-cache', 'no-cache']);
  });

  it('is the value of Cache-Control', async () => {
    const response = await appOf({ cacheControl: 'max-age=60, immutable' }).request('/a.txt');
    expect(response.headers.get('Cache-Control')).toBe('max-age=60, immutable');
  });

  it('false omits the header', async () => {
    const response = await appOf({ cacheControl: false }).request('/a.txt');
    expect(response.headers.has('Cache-Control')).toBe(false);
  });

  it('cannot contain control characters', () => {
    expect(() => serveStatic(folder.root, { cacheControl: 'a\r\nb' })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });
});

describe('serveStatic() rejects', () => {
  it.each<[unknown, string]>([
    [{ dotFiles: 'deny' }, "serveStatic() has no option 'dotFiles'. Did you mean 'dotfiles'?"],
    [
      { dotfiles: 'denied' },
      "dotfiles of serveStatic() must be 'ignore', 'allow' or 'deny': got 'denied'.",
    ],
    [{ index: '' }, "index of serveStatic() must be a non-empty string or false: got ''."],
    [{ index: true }, 'index of serveStatic() must be a non-empty string or false: got true.'],
    [
      { cacheControl: 60 },
      'cacheControl of serveStatic() must be a string without control characters or false: got 60.',
    ],
    [
      {
        extensions: ['html'],
        fallback: '../a.html',
        headers: {},
        symlinks: true,
        precompressed: 'br',
      },
      [
        "extensions of serveStatic() must be an array of extensions such as '.html': got ['html'].",
        "fallback of serveStatic() must be a path below the root such as 'index.html': got '../a.html'.",
        'headers of serveStatic() must be a function: got an object.',
        "symlinks of serveStatic() must be 'follow' or 'inside': got true.",
        "precompressed of serveStatic() must be true or false: got 'br'.",
      ].join('\n'),
    ],
    ['/assets', "options of serveStatic() must be an object: got '/assets'."],
  ])('the options %j', (options, message) => {
    expect(() => Reflect.apply(serveStatic, undefined, [folder.root, options])).toThrow(
      expect.objectContaining({ name: 'SetupError', code: 'INVALID_OPTION', message }),
    );
  });

  it.each<[unknown, string]>([
    [undefined, 'undefined'],
    [{ root: 'public' }, 'an object'],
    [new URL('https://a.example/public'), "'https://a.example/public'"],
    [new URL('file://public'), "'file://public/'"],
  ])('the root %o', (root, shown) => {
    expect(() => Reflect.apply(serveStatic, undefined, [root])).toThrow(
      expect.objectContaining({
        name: 'StaticRootError',
        message: expect.stringContaining(`must be a directory: ${shown} is not one. Pass`),
      }),
    );
  });

  it('everything in one error', () => {
    const options = { prefix: 'assets', indx: 'a.html', dotfiles: true };
    const call = () => Reflect.apply(serveStatic, undefined, ['nowhere', options]);
    expect(call).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
    for (const problem of [
      "must be a directory: 'nowhere' is not one. ",
      "The pattern 'assets' is not valid: start the prefix",
      "serveStatic() has no option 'indx'. Did you mean 'index'?\n",
      'dotfiles of serveStatic() must be ',
    ]) {
      expect(call).toThrow(problem);
    }
  });
});

it('serveStatic is a factory, not middleware', () => {
  expect(descriptionOf(serveStatic)?.role).toBe('factory');
});
