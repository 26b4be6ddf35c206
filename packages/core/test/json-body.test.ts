import { cases } from '@fairlead/test-support/properties';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Application, createApp, errorHandler, json } from '../src/index.js';
import { type SendOptions, sender } from './support/send.js';
import { serve } from './support/serve.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Responds with the body that json() parsed, and whether there was one. */
function echo(): Application {
  return createApp()
    .use(errorHandler(), json())
    .use((ctx) => ctx.json({ given: ctx.body !== undefined, body: ctx.body ?? null }));
}

async function post(options: SendOptions, app = echo()) {
  const send = await sender(app);
  return send('POST', '/', { ...options, headers: { ...JSON_TYPE, ...options.headers } });
}

describe('a JSON body', () => {
  it.each([
    ['an object', '{"name":"Ada"}', { name: 'Ada' }],
    ['an array', '[1,2]', [1, 2]],
    ['a string', '"text"', 'text'],
    ['a number', '0', 0],
    ['false', 'false', false],
    ['text beyond ASCII', '{"name":"Zoë 🚢"}', { name: 'Zoë 🚢' }],
    ['white space around', ' \n{}\t', {}],
    ['a byte order mark', '\uFEFF{"a":1}', { a: 1 }],
  ])('is read: %s', async (_, body, value) => {
    const reply = await post({ body });
    expect(reply.json()).toEqual({ given: true, body: value });
  });

  it('null is a body', async () => {
    const reply = await post({ body: 'null' });
    expect(reply.json()).toEqual({ given: true, body: null });
  });

  it('is parsed from any sequence of chunks', async () => {
    const send = await sender(echo());
    const cuts = fc.array(fc.nat(40), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), cuts, async (value, at) => {
        const bytes = Buffer.from(JSON.stringify({ value }));
        const bounds = [0, ...at.map((cut) => cut % bytes.length), bytes.length].sort(
          (a, b) => a - b,
        );
        const chunks = bounds
          .slice(1)
          .map((end, index) => bytes.subarray(bounds[index], end))
          .filter((chunk) => chunk.length > 0);
        const whole = await send('POST', '/', { body: bytes, headers: JSON_TYPE });
        const cut = await send('POST', '/', { body: chunks, headers: JSON_TYPE });
        expect([cut.status, cut.text]).toEqual([whole.status, whole.text]);
      }),
      { numRuns: cases(15) },
    );
  });

  it('is parsed from chunks that split a character', async () => {
    const bytes = Buffer.from('{"name":"ë"}');
    const reply = await post({ body: [bytes.subarray(0, 10), bytes.subarray(10)] });
    expect(reply.json()).toEqual({ given: true, body: { name: 'ë' } });
  });

  it('that is nested 100,000 deep is rejected', async () => {
    const depth = 100_000;
    const reply = await post({ body: `${'['.repeat(depth)}"\\u0061"${']'.repeat(depth)}` });
    expect(reply.status).toBe(400);
    expect(reply.json()).toMatchObject({ code: 'JSON_TOO_DEEP' });
  });

  it.each([
    ['without a body', {}],
    ['with Content-Length 0', { headers: { 'Content-Length': '0' } }],
    ['with an empty chunked body', { body: [] }],
  ])('stays undefined for a request %s', async (_, options) => {
    const reply = await post(options);
    expect(reply.json()).toEqual({ given: false, body: null });
  });

  it.each([
    'application/json',
    'APPLICATION/JSON',
    'text/json',
    'application/problem+json',
    'text/x.y-z+json',
  ])('is read as %s', async (type) => {
    const reply = await post({ body: '1', headers: { 'Content-Type': type } });
    expect(reply.json()).toEqual({ given: true, body: 1 });
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'json',
    '+json',
  ])('is left unread for another parser as %s', async (type) => {
    const app = createApp()
      .use(json())
      .use(async (ctx) => {
        const chunks: Buffer[] = await ctx.req.toArray();
        ctx.json({ body: ctx.body ?? null, raw: Buffer.concat(chunks).toString() });
      });
    const reply = await post({ body: '{}', headers: { 'Content-Type': type } }, app);
    expect(reply.json()).toEqual({ body: null, raw: '{}' });
  });

  it('is not parsed when middleware has already set ctx.body', async () => {
    const app = createApp()
      .use((ctx, next) => {
        ctx.body = 'mine';
        return next();
      })
      .use(json(), (ctx) => ctx.json(ctx.body));
    const reply = await post({ body: '{}' }, app);
    expect(reply.json()).toBe('mine');
  });

  it('is not parsed when middleware has already read the request', async () => {
    const app = createApp()
      .use(async (ctx, next) => {
        ctx.state.size = (await ctx.req.toArray()).length;
        await next();
      })
      .use(json(), (ctx) => ctx.json({ given: ctx.body !== undefined, ...ctx.state }));
    const reply = await post({ body: '{}' }, app);
    expect(reply.json()).toEqual({ given: false, size: 1 });
  });
});

describe('a body that json() rejects', () => {
  it.each([
    ['is cut off', '{"a":'],
    ['has text after it', '{}x'],
    ['is not JSON', 'name=Ada'],
    ['has single quotes', "{'a':1}"],
    ['is only white space', '  '],
  ])('is a 400 when it %s', async (_, body) => {
    const reply = await post({ body });
    expect(reply.status).toBe(400);
    expect(reply.json()).toMatchObject({
      code: 'MALFORMED_JSON',
      detail: 'The body is not valid JSON: it does not follow the JSON grammar.',
    });
  });

  it('is a 400 when it is not UTF-8', async () => {
    const reply = await post({ body: Buffer.from([0x22, 0xff, 0x22]) });
    expect(reply.status).toBe(400);
    expect(reply.json()).toMatchObject({
      code: 'MALFORMED_JSON',
      detail: 'The body is not valid JSON: it is not valid UTF-8.',
    });
  });

  it.each([
    ['__proto__', '{"__proto__":{"admin":true}}'],
    ['__proto__', '{"\\u005f_proto__":{"admin":true}}'],
    ['__proto__', '[{"a":[{"b":{"__proto__":null}}]}]'],
    ['constructor.prototype', '{"constructor":{"prototype":{"admin":true}}}'],
    ['constructor.prototype', '{"\\u0063onstructor":{"prototyp\\u0065":1}}'],
  ])('is a 400 for the key %s in %s', async (key, body) => {
    const reply = await post({ body });
    expect(reply.status).toBe(400);
    expect(reply.json()).toMatchObject({
      code: 'FORBIDDEN_KEY',
      detail: `The body contains the forbidden key '${key}'. Remove it.`,
    });
  });

  it.each(['{"constructor":"Boeing"}', '{"prototype":1}', '{"a":"__proto__"}', '["constructor"]'])(
    'does not match: %s',
    async (body) => {
      const reply = await post({ body });
      expect(reply.json()).toEqual({ given: true, body: JSON.parse(body) });
    },
  );

  it.each(['iso-8859-1', 'utf-16', '"utf-7"'])('is a 415 in the charset %s', async (charset) => {
    const headers = { 'Content-Type': `application/json; charset=${charset}` };
    const reply = await post({ body: '{}', headers });
    expect(reply.status).toBe(415);
    expect(reply.json()).toMatchObject({ code: 'UNSUPPORTED_CHARSET' });
  });

  it.each(['utf-8', 'UTF-8', '"utf-8"', 'utf8'])(
    'is accepted in the charset %s',
    async (charset) => {
      const headers = { 'Content-Type': `application/json;version=1; charset=${charset}` };
      const reply = await post({ body: '{}', headers });
      expect(reply.status).toBe(200);
    },
  );

  it('is a BODY_ABORTED error when the client disconnects early', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const app = createApp()
      .use((_ctx, next) => (next() as Promise<void>).catch(resolve))
      .use(json());
    const { port } = await serve(app);
    const { socket } = connectRaw(port);
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
    socket.write(`${head}Content-Length: 9\r\n\r\n{"a"`, () => socket.destroy());
    expect(await promise).toMatchObject({ status: 400, code: 'BODY_ABORTED' });
  });

  it('is a BODY_ABORTED error when the client disconnected before json() ran', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const app = createApp()
      .use(async (ctx, next) => {
        await new Promise((left) => ctx.signal.addEventListener('abort', left));
        await (next() as Promise<void>).catch(resolve);
      })
      .use(json());
    const { port } = await serve(app);
    const { socket } = connectRaw(port);
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
    socket.write(`${head}Content-Length: 9\r\n\r\n{"a"`, () => socket.destroy());
    expect(await promise).toMatchObject({ status: 400, code: 'BODY_ABORTED' });
  });
});
