import { type Context, createApp, errorHandler } from '@fairlead/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serveStatic } from '../src/index.js';
import { provideFolder } from './support/folder.js';
import { getter } from './support/serve.js';

const folder = provideFolder();

const PAST = 'Thu, 01 Jan 1970 00:00:00 GMT';
const FUTURE = 'Fri, 01 Jan 2100 00:00:00 GMT';

const appOf = () => createApp().use(errorHandler(), serveStatic(folder.root));
const request = (headers: Record<string, string>, path = '/a.txt') =>
  appOf().request(path, { headers });

/** Returns the status and the first ten characters of the response to a range of a text. */
function sliceOf(text: string, first: string, last: string): readonly [number, string] {
  if (first === '' && last === '') return [200, text];
  if (first !== '' && last !== '' && Number(last) < Number(first)) return [200, text];
  const start = first === '' ? Math.max(0, text.length - Number(last)) : Number(first);
  const part = text.slice(start, first === '' || last === '' ? undefined : Number(last) + 1);
  return part === '' ? [416, '{"type":"a'] : [206, part];
}

describe('a range', () => {
  it.each([
    ['bytes=0-3', '0123', 'bytes 0-3/10'],
    ['bytes=4-4', '4', 'bytes 4-4/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-2', '89', 'bytes 8-9/10'],
    ['bytes=5-99', '56789', 'bytes 5-9/10'],
  ])('%s is a 206 with %s', async (range, text, contentRange) => {
    const response = await request({ Range: range });
    expect(response.status).toBe(206);
    expect(await response.text()).toBe(text);
    expect(response.headers.get('Content-Range')).toBe(contentRange);
    expect(response.headers.get('Content-Length')).toBe(String(text.length));
  });

  it.each(['lines=1-2', 'bytes=a-b', 'bytes=-', 'bytes=5-4', 'bytes=0-1,5-6', 'bytes=0-1,1-2'])(
    '%s is ignored',
    async (range) => {
      const response = await request({ Range: range });
      expect(response.status).toBe(200);
      expect(await response.text()).toBe('0123456789');
    },
  );

  it('is ignored for HEAD', async () => {
    const headers = { Range: 'bytes=2-3' };
    const response = await appOf().request('/a.txt', { method: 'HEAD', headers });
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Length')).toBe('10');
    expect(response.headers.has('Content-Range')).toBe(false);
  });

  it('is ignored where earlier middleware has set Accept-Ranges: none', async () => {
    const app = createApp().use((ctx, next) => {
      ctx.set('Accept-Ranges', 'none');
      return next();
    }, serveStatic(folder.root));
    const response = await app.request('/a.txt', { headers: { Range: 'bytes=2-3' } });
    expect(await response.text()).toBe('0123456789');
  });

  it('agrees with a slice of the file', async () => {
    const app = appOf();
    const offset = fc.oneof(fc.nat(15), fc.constant('')).map(String);
    await fc.assert(
      fc.asyncProperty(offset, offset, async (first, last) => {
        const headers = { Range: `bytes=${first}-${last}` };
        const response = await app.request('/a.txt', { headers });
        const part = (await response.text()).slice(0, 10);
        expect([response.status, part]).toEqual(sliceOf('0123456789', first, last));
      }),
    );
  });

  it.each([
    ['/a.txt', 'bytes=10-', 'bytes */10'],
    ['/a.txt', 'bytes=-0', 'bytes */10'],
    ['/a.txt', `bytes=${'9'.repeat(400)}-`, 'bytes */10'],
    ['/empty.txt', 'bytes=0-', 'bytes */0'],
  ])('outside %s is a 416 with the length of the file', async (path, range, contentRange) => {
    const response = await request({ Range: range }, path);
    expect(response.status).toBe(416);
    expect(response.headers.get('Content-Range')).toBe(contentRange);
    expect(await response.json()).toMatchObject({ code: 'RANGE_NOT_SATISFIABLE' });
  });

  it('applies only when If-Range matches the file', async () => {
    const modified = (await request({})).headers.get('Last-Modified') ?? '';
    const same = await request({ Range: 'bytes=0-0', 'If-Range': modified });
    const other = await request({ Range: 'bytes=0-0', 'If-Range': '"other"' });
    expect(same.status).toBe(206);
    expect(other.status).toBe(200);
  });

  it('does not apply when If-Range is a weak tag, even that of the file', async () => {
    const tag = (await request({})).headers.get('ETag') ?? '';
    expect(tag).toMatch(/^W\//);
    const response = await request({ Range: 'bytes=0-0', 'If-Range': tag });
    expect(response.status).toBe(200);
  });

  it('applies when If-Range is the strong tag that earlier middleware has set', async () => {
    const app = createApp().use((ctx, next) => {
      ctx.set('ETag', '"7"');
      return next();
    }, serveStatic(folder.root));
    const headers = { Range: 'bytes=0-0', 'If-Range': '"7"' };
    expect((await app.request('/a.txt', { headers })).status).toBe(206);
  });

  it.each([1_000, -1_000])('does not apply when If-Range is off by %i ms', async (offset) => {
    const modified = Date.parse((await request({})).headers.get('Last-Modified') ?? '');
    const date = new Date(modified + offset).toUTCString();
    expect((await request({ Range: 'bytes=0-0', 'If-Range': date })).status).toBe(200);
  });
});

describe('a condition', () => {
  it.each([
    ['If-None-Match', 'ETag'],
    ['If-Modified-Since', 'Last-Modified'],
  ])('%s with the current %s is a 304 without a body', async (condition, validator) => {
    const get = await getter(appOf());
    const first = await get('/a.txt');
    const value = String(first.headers[validator.toLowerCase()]);
    const reply = await get('/a.txt', { [condition]: value });
    expect(reply).toMatchObject({ status: 304, text: '' });
    expect(reply.headers).toMatchObject({
      etag: first.headers.etag,
      'cache-control': 'no-cache',
    });
    expect(reply.headers).not.toHaveProperty('content-type');
    expect(reply.headers).not.toHaveProperty('content-length');
  });

  it.each([
    ['If-None-Match', '"other"'],
    ['If-Modified-Since', 'Thu, 01 Jan 1970 00:00:00 GMT'],
  ])('%s: %s is a 200', async (condition, value) => {
    expect((await request({ [condition]: value })).status).toBe(200);
  });

  it.each([
    ['If-Match', '"other"'],
    ['If-Unmodified-Since', 'Thu, 01 Jan 1970 00:00:00 GMT'],
  ])('%s: %s is a 412', async (condition, value) => {
    const response = await request({ [condition]: value });
    expect(response.status).toBe(412);
    expect(await response.json()).toMatchObject({ code: 'PRECONDITION_FAILED' });
  });

  it('If-Match with the weak tag of the file is a 412', async () => {
    const tag = (await request({})).headers.get('ETag') ?? '';
    expect((await request({ 'If-Match': tag })).status).toBe(412);
    expect((await request({ 'If-Match': '*' })).status).toBe(200);
  });

  it.each([
    ['"7"', 200],
    ['"6", "7"', 200],
    [',"6" ,\t"7",', 200],
    ['W/"7"', 412],
    ['"7" "6"', 412],
    ['"7", *', 412],
    ['7', 412],
    ['', 412],
  ])('If-Match: %s of a file with the tag "7" is a %i', async (tags, status) => {
    const app = createApp().use((ctx, next) => {
      ctx.set('ETag', '"7"');
      return next();
    }, serveStatic(folder.root));
    const response = await app.request('/a.txt', { headers: { 'If-Match': tags } });
    expect(response.status).toBe(status);
  });

  it.each([
    ['If-Match is true', { 'If-Match': '*', 'If-Unmodified-Since': PAST }, 200],
    ['If-None-Match is false', { 'If-None-Match': '"other"', 'If-Modified-Since': FUTURE }, 200],
    ['a date is malformed', { 'If-Modified-Since': 'today', 'If-Unmodified-Since': 'x' }, 200],
    ['If-None-Match comes with a range', { 'If-None-Match': '*', Range: 'bytes=99-' }, 304],
    ['If-Match is false', { 'If-Match': '"other"', 'If-None-Match': '*' }, 412],
  ])('that is less important is not evaluated when %s', async (_, headers, status) => {
    expect((await request({ ...headers })).status).toBe(status);
  });

  it('finds the tag in a list, weak or not', async () => {
    const tag = (await request({})).headers.get('ETag') ?? '';
    const strong = tag.slice(2);
    for (const list of [`"a", ${tag}`, `${strong},"b"`, `"a,b" ,\t${strong}`]) {
      expect((await request({ 'If-None-Match': list })).status).toBe(304);
    }
    expect((await request({ 'If-None-Match': strong.slice(1, -1) })).status).toBe(200);
  });

  it('is not evaluated with another status', async () => {
    const app = createApp().use((ctx, next) => {
      ctx.status = 404;
      return next();
    }, serveStatic(folder.root));
    const headers = { 'If-None-Match': '*', Range: 'bytes=0-0' };
    const response = await app.request('/a.txt', { headers });
    expect(response.status).toBe(404);
    expect(await response.text()).toBe('0123456789');
  });
});

describe('response headers of other middleware', () => {
  const before = (set: (ctx: Context) => void) =>
    createApp().use(
      errorHandler(),
      (ctx, next) => {
        ctx.set('X-Before', '1');
        set(ctx);
        return next();
      },
      serveStatic(folder.root),
    );

  it.each([
    ['a file', 200, {}],
    ['a range', 206, { Range: 'bytes=0-0' }],
    ['an unchanged file', 304, { 'If-None-Match': '*' }],
    ['an error', 416, { Range: 'bytes=99-' }],
  ])('are sent with %s, a %i', async (_, status, headers) => {
    const app = before((ctx) => ctx.append('Set-Cookie', ['a=1', 'b=2']));
    const response = await app.request('/a.txt', { headers });
    expect(response.status).toBe(status);
    expect(response.headers.get('X-Before')).toBe('1');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  });

  it('are also sent when they are set after next()', async () => {
    const app = createApp().use(async (ctx, next) => {
      await next();
      ctx.set('X-Status', ctx.status);
    }, serveStatic(folder.root));
    const response = await app.request('/a.txt');
    expect(response.headers.get('X-Status')).toBe('200');
  });

  it.each([
    ['Cache-Control', 'no-store'],
    ['Content-Type', 'text/x-log'],
    ['ETag', '"mine"'],
    ['Last-Modified', 'Thu, 01 Jan 2026 00:00:00 GMT'],
    ['Accept-Ranges', 'none'],
  ])('%s takes precedence over that of the file', async (name, value) => {
    const response = await before((ctx) => ctx.set(name, value)).request('/a.txt');
    expect(response.headers.get(name)).toBe(value);
  });

  it('ETag is compared with conditions', async () => {
    const app = before((ctx) => ctx.set('ETag', '"mine"'));
    const response = await app.request('/a.txt', { headers: { 'If-None-Match': '"mine"' } });
    expect(response.status).toBe(304);
  });

  it('Content-Length does not change the length that is sent', async () => {
    const app = before((ctx) => ctx.set('Content-Length', 3));
    expect(await (await app.request('/a.txt')).text()).toBe('0123456789');
  });
});
