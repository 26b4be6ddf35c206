import {
  createApp,
  createRouter,
  errorHandler,
  ForbiddenError,
  notFoundHandler,
} from '@fairlead/core';
import { cases } from '@fairlead/test-support/properties';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serveStatic } from '../src/index.js';
import { provideFolder } from './support/folder.js';
import { getter } from './support/serve.js';

const folder = provideFolder();

/** Serves the directory below two kinds of prefixes and in a route. */
const appOf = () =>
  createApp()
    .use(errorHandler(), serveStatic(folder.root, { prefix: '/plain', dotfiles: 'allow' }))
    .use('/mounted', serveStatic(folder.root, { dotfiles: 'allow' }))
    .route('/', createRouter().get('/route/*path', serveStatic(folder.root, { dotfiles: 'allow' })))
    .use(notFoundHandler());

const outside = [
  '/../secret.txt',
  '/docs/../../secret.txt',
  '/%2e%2e/secret.txt',
  '/%2E%2E/secret.txt',
  '/.%2e/secret.txt',
  '/..%2fsecret.txt',
  '/..%2Fsecret.txt',
  '/%2e%2e%2fsecret.txt',
  '/docs%2f..%2f..%2fsecret.txt',
  '/..\\secret.txt',
  '/..%5csecret.txt',
  '/..%5Csecret.txt',
  '/docs/..\\../secret.txt',
  '//../secret.txt',
  '/./../secret.txt',
  '/..',
  '/../',
  '/%252e%252e/secret.txt',
  '/..%252fsecret.txt',
  '/%c0%ae%c0%ae/secret.txt',
  '/..%c0%afsecret.txt',
  '/../secret.txt%00.html',
  '/../secret.txt#/a.txt',
  '/#/../../secret.txt',
  '/..;/secret.txt',
  '/\xe9/../../secret.txt',
];

describe.each(['/plain', '/mounted', '/route'])('below %s', (prefix) => {
  it.each(outside)('%j serves nothing outside the directory', async (path) => {
    const get = await getter(appOf());
    const { status, text } = await get(prefix + path);
    expect([400, 404]).toContain(status);
    expect(text).not.toContain('"secret"');
    expect(text).not.toBe('secret');
  });

  it.each([
    '/docs/../private/c.txt',
    '/./private/c.txt',
    '/private/./c.txt',
    '//private/c.txt',
    '/private//c.txt',
    '/private%2Fc.txt',
    '/private%2fc.txt',
    '/private/c.txt/',
    '/private/c.txt/.',
    '/back%5Cslash.txt',
    '/a#b.txt',
    '/\xe9.txt',
    '/back\\slash.txt',
  ])('%s does not serve a file under a second path', async (path) => {
    const get = await getter(appOf());
    const { status } = await get(prefix + path);
    expect([400, 404]).toContain(status);
  });

  it.each(['/%', '/%zz', '/a%00.txt', '/a.txt%00', '/%C3'])(
    '%s is malformed and responds with 400',
    async (path) => {
      const get = await getter(appOf());
      const { status, headers } = await get(prefix + path);
      expect(status).toBe(400);
      expect(headers['content-type']).toBe('application/problem+json');
    },
  );
});

describe('a route for a subdirectory', () => {
  const protectedApp = () => {
    const files = createRouter().get('/*path', serveStatic(folder.root));
    const closed = createRouter()
      .use(() => {
        throw new ForbiddenError('closed');
      })
      .get('/*path', serveStatic(folder.root));
    const router = createRouter().route('/files', files).route('/files/private', closed);
    return createApp().use(errorHandler()).route('/', router).use(notFoundHandler());
  };

  it.each(['/private/c.txt', '/%70rivate/c.txt', '/private/%63.txt'])('guards %s', async (path) => {
    const get = await getter(protectedApp());
    expect((await get(`/files${path}`)).status).toBe(403);
    expect((await get('/files/a.txt')).status).toBe(200);
  });

  it.each([
    ...['/private%2Fc.txt', '/private%2fc.txt', '/private%252Fc.txt', '/private%5Cc.txt'],
    ...['/./private/c.txt', '/%2e/private/c.txt', '/docs/../private/c.txt', '//private/c.txt'],
    ...['/private\\c.txt', '/docs%2F..%2Fprivate%2Fc.txt'],
  ])('cannot be bypassed with %s', async (path) => {
    const get = await getter(protectedApp());
    expect((await get(`/files${path}`)).status).toBe(404);
  });
});

it('no combination of these pieces leads out of the directory', async () => {
  const get = await getter(appOf());
  const piece = fc.constantFrom(
    ...['..', '.', '/', '%2e', '%2F', '%5c', '%252e', '%00', '%', '#', '?', ';', ':', 'docs', 'C'],
    ...['secret.txt', 'public', 'link', '~', '*', '%c0%ae', '\xff', '\\'],
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 10 }), async (pieces) => {
      const { text } = await get(`/plain/${pieces.join('')}`);
      expect(text).not.toBe('secret');
    }),
    { numRuns: cases(60) },
  );
});
