import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createApp, errorHandler, json, raw, text, urlencoded } from '../src/index.js';
import { sender } from './support/send.js';

function serveAll() {
  const app = createApp()
    .use(errorHandler(), json(), urlencoded({ maxFields: 3 }), text({ limit: 10 }), raw())
    .use((ctx) => {
      const bytes = ctx.body instanceof Uint8Array ? [...ctx.body] : undefined;
      ctx.json({ body: ctx.body, bytes });
    });
  return sender(app);
}

async function post(type: string, body: string | Uint8Array, headers = {}) {
  const send = await serveAll();
  return send('POST', '/', { headers: { 'Content-Type': type, ...headers }, body });
}

describe('urlencoded()', () => {
  const type = 'application/x-www-form-urlencoded';

  it('reads fields, plus signs and escapes', async () => {
    const { body } = (await post(type, 'a=1+2&b=%C3%A9')).json() as { body: unknown };
    expect(body).toEqual({ a: '1 2', b: 'é' });
  });

  it('reads a repeated field as an array', async () => {
    expect((await post(type, 'a=1&a=2&a=3')).json()).toMatchObject({
      body: { a: ['1', '2', '3'] },
    });
  });

  it('takes __proto__ as a name like any other', async () => {
    expect((await post(type, '__proto__=x')).text).toContain('{"__proto__":"x"}');
  });

  it('refuses more fields than maxFields with 413', async () => {
    const reply = await post(type, 'a&b&c&d');
    expect(reply.status).toBe(413);
    expect(reply.json()).toMatchObject({ code: 'TOO_MANY_FIELDS' });
  });

  it('refuses another charset with 415', async () => {
    expect((await post(`${type}; charset=latin1`, 'a=b')).status).toBe(415);
  });
});

describe('text()', () => {
  it('reads any text type', async () => {
    expect((await post('text/csv', 'a;b')).json()).toMatchObject({ body: 'a;b' });
  });

  it('decodes the charset that is named', async () => {
    const reply = await post('text/plain; charset=ISO-8859-1', Uint8Array.of(0xe9));
    expect(reply.json()).toMatchObject({ body: 'é' });
  });

  it('refuses bytes that are not of the charset with 400', async () => {
    const reply = await post('text/plain', Uint8Array.of(0xe9));
    expect(reply.status).toBe(400);
    expect(reply.json()).toMatchObject({ code: 'MALFORMED_TEXT' });
  });

  it('refuses an unknown charset with 415', async () => {
    expect((await post('text/plain; charset=klingon', 'a')).status).toBe(415);
  });

  it('counts decoded bytes', async () => {
    const bomb = gzipSync('a'.repeat(11));
    expect((await post('text/plain', bomb, { 'Content-Encoding': 'gzip' })).status).toBe(413);
  });
});

describe('raw()', () => {
  it('reads bytes', async () => {
    const reply = await post('application/octet-stream', Uint8Array.of(0, 255));
    expect(reply.json()).toMatchObject({ bytes: [0, 255] });
  });

  it('leaves other types unread', async () => {
    expect((await post('image/png', Uint8Array.of(1))).json()).toEqual({});
  });
});
