import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createApp } from '../application.js';
import { etag } from './etag.js';

it.each(['*', '"x"'])('an unhandled request with If-None-Match %s stays a 404', async (tags) => {
  const app = createApp().use(etag());
  const response = await app.request('/nowhere', { headers: { 'If-None-Match': tags } });
  expect(response.status).toBe(404);
  expect(response.headers.get('ETag')).toBeNull();
});

describe("a handler's own ETag", () => {
  const own = 'W/"version 7"';
  const app = createApp().use(etag(), (ctx) => {
    ctx.set('ETag', own);
    ctx.send(ctx.path === '/stream' ? Readable.from(['bytes']) : 'bytes');
  });

  it.each(['/text', '/stream'])('is kept for %s', async (path) => {
    const answer = await app.request(path);
    expect([answer.status, answer.headers.get('ETag')]).toEqual([200, own]);
    expect(await answer.text()).toBe('bytes');
  });

  it.each([
    ['/text', own],
    ['/text', '"version 7"'],
    ['/stream', `"version 6", ${own}`],
  ])('answers 304 to %s with If-None-Match: %s', async (path, tags) => {
    const answer = await app.request(path, { headers: { 'If-None-Match': tags } });
    expect([answer.status, answer.headers.get('ETag')]).toEqual([304, own]);
  });

  it('is the only one compared: a tag of the bytes does not match', async () => {
    const plain = await createApp()
      .use(etag(), (ctx) => ctx.send('bytes'))
      .request('/text');
    const headers = { 'If-None-Match': String(plain.headers.get('ETag')) };
    expect((await app.request('/text', { headers })).status).toBe(200);
  });
});

it('any copy is current for If-None-Match: *', async () => {
  const app = createApp().use(etag(), (ctx) => ctx.send('bytes'));
  const response = await app.request('/', { headers: { 'If-None-Match': '*' } });
  expect(response.status).toBe(304);
});
