import { describe, expect, it } from 'vitest';
import { createApp, etag, json, raw, text, urlencoded } from '../src/index.js';

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

it.each([
  ['json', json()],
  ['text', text()],
  ['raw', raw()],
  ['urlencoded', urlencoded()],
])('the parser %s is named', (name, parser) => {
  expect(parser.name).toBe(name);
});
