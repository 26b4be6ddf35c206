import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { descriptionOf } from '../src/extend.js';
import {
  type BodyOptions,
  createApp,
  createRouter,
  errorHandler,
  json,
  type Middleware,
  raw,
  text,
  urlencoded,
} from '../src/index.js';
import { type SendOptions, sender } from './support/send.js';

async function post(parser: Middleware, type: string, body: SendOptions['body'] & {}) {
  const app = createApp()
    .use(errorHandler(), parser)
    .use((ctx) => ctx.json({ body: ctx.body ?? null }));
  const send = await sender(app);
  return send('POST', '/', { body, headers: { 'Content-Type': type } });
}

describe('urlencoded()', () => {
  const FORM = 'application/x-www-form-urlencoded';

  it.each([
    ['a=1&b=2', { a: '1', b: '2' }],
    ['a=1&a=2&a=3', { a: ['1', '2', '3'] }],
    ['name=Zo%C3%AB+W&q=', { name: 'Zoë W', q: '' }],
    ['a[b]=1&c.d=2', { 'a[b]': '1', 'c.d': '2' }],
    ['constructor=1', { constructor: '1' }],
    ['?a=1', { '?a': '1' }],
  ])('reads %s', async (body, form) => {
    expect((await post(urlencoded(), FORM, body)).json()).toEqual({ body: form });
  });

  it('creates an object without a prototype', async () => {
    const prototypes: unknown[] = [];
    const app = createApp().use(urlencoded(), (ctx) => {
      prototypes.push(Object.getPrototypeOf(ctx.body));
    });
    const send = await sender(app);
    await send('POST', '/', { body: 'toString=a', headers: { 'Content-Type': FORM } });
    expect(prototypes).toEqual([null]);
  });

  it.each([
    ['__proto__=a', '__proto__'],
    ['b=1&%5F_proto__=a', '__proto__'],
    ['__proto__[x]=a', '__proto__'],
    ['a[__proto__]=a', '__proto__'],
    ['a.__proto__.b=a', '__proto__'],
    ['constructor[prototype][x]=a', 'constructor.prototype'],
    ['a[constructor][prototype]=a', 'constructor.prototype'],
    ['constructor.prototype=a', 'constructor.prototype'],
  ])('rejects %s, as json() does', async (body, key) => {
    const reply = await post(urlencoded(), FORM, body);
    expect(reply.status).toBe(400);
    expect(reply.json()).toMatchObject({
      code: 'FORBIDDEN_KEY',
      detail: `The body contains the forbidden key '${key}'. Remove it.`,
    });
  });

  it.each(['constructor', 'prototype', 'constructor[x]', '__proto__s', 'my__proto__', 'protocol'])(
    'accepts the name %s',
    async (name) => {
      expect((await post(urlencoded(), FORM, `${name}=a`)).json()).toEqual({
        body: { [name]: 'a' },
      });
    },
  );

  it('rejects one field too many', async () => {
    const parser = urlencoded({ maxFields: 2 });
    expect((await post(parser, FORM, 'a=1&b=2')).status).toBe(200);
    const refused = await post(parser, FORM, 'a=1&b=2&c=3');
    expect(refused.status).toBe(413);
    expect(refused.json()).toMatchObject({
      code: 'TOO_MANY_FIELDS',
      detail: 'The form has more than 2 fields.',
    });
  });

  it('rejects 1,001 fields by default', async () => {
    const fields = (count: number) => Array.from({ length: count }, () => 'a=1').join('&');
    expect((await post(urlencoded(), FORM, fields(1000))).status).toBe(200);
    expect((await post(urlencoded(), FORM, fields(1001))).status).toBe(413);
  });

  it('rejects invalid UTF-8 and other charsets', async () => {
    const bytes = await post(urlencoded(), FORM, Uint8Array.of(0x61, 0x3d, 0xff));
    const charset = await post(urlencoded(), `${FORM}; charset=latin1`, 'a=1');
    expect(bytes.json()).toMatchObject({ status: 400, code: 'MALFORMED_TEXT' });
    expect(charset.json()).toMatchObject({ status: 415, code: 'UNSUPPORTED_CHARSET' });
  });
});

describe('text()', () => {
  it.each([
    ['text/plain', Buffer.from('é'), 'é'],
    ['text/csv; charset=UTF-8', Buffer.from('\uFEFFa,b'), 'a,b'],
    ['text/plain; charset=iso-8859-1', Uint8Array.of(0xe9), 'é'],
    ['text/plain; charset=utf-16le', Buffer.from('é', 'utf16le'), 'é'],
    ['text/plain; charset=latin1', Uint8Array.of(0xe9), 'é'],
    ['text/plain; charset="L1"', Uint8Array.of(0xe9), 'é'],
    ['text/plain; charset=cp1252', Uint8Array.of(0x80), '€'],
    ['text/plain; charset=ASCII', Buffer.from('a'), 'a'],
    ['text/plain; charset=utf8', Buffer.from('é'), 'é'],
    ['text/plain; charset=utf-16', Buffer.from('é', 'utf16le'), 'é'],
  ])('reads %s', async (type, body, value) => {
    expect((await post(text(), type, body)).json()).toEqual({ body: value });
  });

  it.each(['shift_jis', 'utf-16be', 'utf-7', 'x-user-defined', ''])(
    'refuses the charset %s',
    async (charset) => {
      const reply = await post(text(), `text/plain; charset=${charset}`, 'a');
      expect(reply.json()).toMatchObject({ status: 415, code: 'UNSUPPORTED_CHARSET' });
    },
  );

  it('rejects bytes that are invalid in their charset, and unknown charsets', async () => {
    const bytes = await post(text(), 'text/plain', Uint8Array.of(0xff));
    const charset = await post(text(), 'text/plain; charset=klingon', 'a');
    expect(bytes.json()).toMatchObject({
      status: 400,
      code: 'MALFORMED_TEXT',
      detail: 'The body is not valid utf-8.',
    });
    expect(charset.json()).toMatchObject({
      status: 415,
      code: 'UNSUPPORTED_CHARSET',
      detail: "The charset 'klingon' is not supported. Send the body as utf-8.",
    });
  });
});

describe('raw()', () => {
  it('reads bytes unchanged', async () => {
    const reply = await post(raw(), 'application/octet-stream', Uint8Array.of(0, 255));
    expect(reply.json()).toEqual({ body: { type: 'Buffer', data: [0, 255] } });
  });

  it('reads the configured types', async () => {
    const parser = raw({ type: ['image/png'] });
    expect((await post(parser, 'Image/PNG', 'a')).json()).toMatchObject({ body: { data: [97] } });
    expect((await post(parser, 'application/octet-stream', 'a')).json()).toEqual({ body: null });
  });
});

describe.each([
  ['json()', json, 'application/json', '"four"'],
  ['urlencoded()', urlencoded, 'application/x-www-form-urlencoded', 'a=four'],
  ['text()', text, 'text/plain', 'a four'],
  ['raw()', raw, 'application/octet-stream', 'a four'],
])('%s', (_, createParser, type, body) => {
  it('enforces its limit', async () => {
    expect((await post(createParser({ limit: body.length }), type, body)).status).toBe(200);
    expect((await post(createParser({ limit: body.length - 1 }), type, body)).status).toBe(413);
  });

  it('ignores other media types and empty bodies', async () => {
    expect((await post(createParser(), 'application/other', body)).json()).toEqual({ body: null });
    expect((await post(createParser(), type, [])).json()).toEqual({ body: null });
  });

  it('decodes the content encoding', async () => {
    const send = await sender(
      createApp().use(createParser(), (ctx) => ctx.json(ctx.body !== undefined)),
    );
    const headers = { 'Content-Type': type, 'Content-Encoding': 'gzip' };
    expect((await send('POST', '/', { headers, body: gzipSync(body) })).text).toBe('true');
  });

  it('rejects an invalid limit', () => {
    expect(() => createParser({ limit: 'lots' })).toThrow(": got 'lots'.");
  });
});

describe('the option type', () => {
  it.each<[string, NonNullable<BodyOptions['type']>, string, string | null]>([
    ['a type', 'application/csp-report', 'application/csp-report', '1'],
    ['a type in another case', 'Application/CSP-Report', 'application/csp-report', '1'],
    ['a type with parameters', 'text/x', 'text/x; charset=utf-8', '1'],
    ['another type', 'application/csp-report', 'application/json', null],
    ['a longer type', 'application/a', 'application/ab', null],
    ['a type that a dot would match', 'application/a.b', 'application/axb', null],
    ['one of several', ['text/a', 'text/b'], 'text/b', '1'],
    ['none of several', ['text/a', 'text/b'], 'text/c', null],
    ['a subtype', 'text/*', 'text/anything', '1'],
    ['a subtype of another type', 'text/*', 'application/json', null],
    ['a suffix', 'application/*+json', 'application/vnd.a+json', '1'],
    ['the suffix alone', 'application/*+json', 'application/json', null],
    ['any type', '*/*', 'a/b', '1'],
    ['no type', '*/*', '', '1'],
    ['what a function accepts', (type) => type === 'text/a', 'Text/A; q=1', '1'],
    ['what a function refuses', () => false, 'application/json', null],
  ])('reads or skips %s', async (_, type, sent, body) => {
    expect((await post(text({ type }), sent, '1')).json()).toEqual({ body });
  });

  it('replaces the types that the parser reads by default', async () => {
    const parser = json({ type: 'application/csp-report' });
    expect((await post(parser, 'application/csp-report', '{}')).json()).toEqual({ body: {} });
    expect((await post(parser, 'application/json', '{}')).json()).toEqual({ body: null });
  });

  it.each([
    ['json', json],
    ['urlencoded', urlencoded],
    ['text', text],
    ['raw', raw],
  ])('of %s() must be media types or a function', (name, createParser) => {
    for (const type of [
      'json',
      'a/b/c',
      'a/',
      '/b',
      'a/b;c=d',
      'a /b',
      'a/b*',
      '',
      [],
      [1],
      null,
      1,
    ]) {
      expect(() => Reflect.apply(createParser, undefined, [{ type }])).toThrow(
        expect.objectContaining({
          name: 'SetupError',
          code: 'INVALID_OPTION',
          message: expect.stringMatching(`^type of ${name}\\(\\) must be media types`),
        }),
      );
    }
  });
});

it('a parser keeps the bytes once described middleware asks it to, and only that one', async () => {
  const [kept, other] = [json(), json()];
  descriptionOf(kept)?.reads?.keepBytes?.();
  for (const [parser, type] of [
    [kept, 'string'],
    [other, 'undefined'],
  ] as const) {
    const app = createApp().use(parser, (ctx) => ctx.json(typeof ctx.rawBody?.toString()));
    const headers = { 'Content-Type': 'application/json' };
    const response = await app.request('/', { method: 'POST', headers, body: '{}' });
    expect(await response.json()).toBe(type);
  }
});

it('a parser fails at once for a body that was read in part', async () => {
  const errors: unknown[] = [];
  const app = createApp({ onError: (error) => void errors.push(error) }).use(
    async ({ req }, next) => {
      await once(req, 'readable');
      req.read(1);
      req.pause();
      await next();
    },
    json(),
  );
  const headers = { 'Content-Type': 'application/json' };
  expect((await app.request('/', { method: 'POST', headers, body: '{}' })).status).toBe(500);
  expect(errors).toEqual([expect.objectContaining({ code: 'BODY_ALREADY_READ' })]);
});

describe('the option rawBody', () => {
  const read = async (parser: Middleware, type: string, body: string | Uint8Array) => {
    const app = createApp().use(parser, (ctx) =>
      ctx.json([ctx.rawBody?.toString('latin1'), ctx.body]),
    );
    const headers = { 'Content-Type': type, 'Content-Encoding': 'gzip' };
    return (await (await sender(app))('POST', '/', { headers, body: gzipSync(body) })).json();
  };

  it.each([
    ['json()', json, 'application/json', '{ "a" :1.0}', { a: 1 }],
    ['urlencoded()', urlencoded, 'application/x-www-form-urlencoded', 'a=%31', { a: '1' }],
    ['text()', text, 'text/plain', '\xef\xbb\xbfa', 'a'],
  ])('of %s keeps the decoded bytes', async (_, createParser, type, body, value) => {
    const bytes = Buffer.from(body, 'latin1');
    expect(await read(createParser({ rawBody: true }), type, bytes)).toEqual([body, value]);
  });

  it('is off by default', async () => {
    expect(await read(json(), 'application/json', '1')).toEqual([null, 1]);
  });

  it('leaves ctx.rawBody undefined where the parser skips the body', async () => {
    const app = createApp().use(json({ rawBody: true }), (ctx) => ctx.json(typeof ctx.rawBody));
    const [get, other] = [
      await app.request('/'),
      await app.request('/', { method: 'POST', body: 'text' }),
    ];
    expect([await get.json(), await other.json()]).toEqual(['undefined', 'undefined']);
  });

  it('is a logged 500 after another parser has read the body', async () => {
    const onError = vi.fn();
    const app = createApp({ onError })
      .use(text(), json())
      .post('/', json({ rawBody: true }), text({ rawBody: true, type: 'text/x' }), () => 'ok');
    const post = (type: string) =>
      app.request('/', { method: 'POST', headers: { 'Content-Type': type }, body: '1' });
    expect((await post('application/json')).status).toBe(500);
    expect(onError.mock.calls[0]?.[0]).toMatchObject({
      code: 'RAW_BODY_LOST',
      message:
        'json({ rawBody: true }) cannot keep the bytes of POST /: another parser has read the body. Register this parser before the other one, or pass rawBody: true to that one.',
    });
    expect((await post('text/plain')).status).toBe(200);
  });

  it('may be repeated', async () => {
    const app = createApp()
      .use(json({ rawBody: true }))
      .post('/', json({ rawBody: true }), (ctx) => String(ctx.rawBody));
    const headers = { 'Content-Type': 'application/json' };
    expect(await (await app.request('/', { method: 'POST', headers, body: '1' })).json()).toBe('1');
  });

  it('keeps the bytes of a body that cannot be parsed', async () => {
    const app = createApp().use(
      async (ctx, next) => {
        await Promise.resolve(next()).catch(() => ctx.send(ctx.rawBody ?? 'none'));
      },
      json({ rawBody: true }),
    );
    const headers = { 'Content-Type': 'application/json' };
    const response = await app.request('/', { method: 'POST', headers, body: '{' });
    expect(await response.text()).toBe('{');
  });
});

it('parsers can be combined', async () => {
  const app = createApp()
    .use(json(), urlencoded(), text(), raw())
    .use((ctx) => ctx.json(ctx.body));
  const send = await sender(app);
  const types = ['application/json', 'application/x-www-form-urlencoded', 'text/plain'];
  const replies = await Promise.all(
    types.map((type) => send('POST', '/', { body: '1', headers: { 'Content-Type': type } })),
  );
  expect(replies.map((reply) => reply.json())).toEqual([1, { 1: '' }, '1']);
});

it('urlencoded() rejects a maxFields that is not a number', () => {
  expect(() => urlencoded({ maxFields: Number.NaN })).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTION' }),
  );
});

it('urlencoded() parses a field that is repeated 20,000 times in linear time', async () => {
  const app = createApp().use(urlencoded({ maxFields: 20_000 }), (ctx) => {
    const { a } = ctx.body as Record<string, string[]>;
    ctx.json(a?.length);
  });
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const body = Array.from({ length: 20_000 }, () => 'a=1').join('&');
  const response = await app.request('/', { method: 'POST', headers, body });
  expect(await response.json()).toBe(20_000);
});

it('raw() accepts media types in any case', async () => {
  const app = createApp().use(raw({ type: ['Application/PDF'] }), (ctx) => {
    ctx.json(ctx.body instanceof Uint8Array);
  });
  const headers = { 'Content-Type': 'application/pdf' };
  const response = await app.request('/', { method: 'POST', headers, body: 'x' });
  expect(await response.json()).toBe(true);
});

it('read the bodies of routes in routers before a mount', async () => {
  const users = createRouter().post('/', { body: z.object({ name: z.string() }) }, ({ body }) => {
    return { name: body.name };
  });
  const app = createApp()
    .use(json())
    .route('/api/users', users)
    .mount('/', async (request) => Response.json({ text: await request.text() }));
  const send = await sender(app);
  const post = (path: string) =>
    send('POST', path, { body: '{"name":"Ada"}', headers: { 'Content-Type': 'application/json' } });
  const [user, other] = [await post('/api/users'), await post('/api/users/7')];
  expect([user.status, user.json()]).toEqual([200, { name: 'Ada' }]);
  expect([other.status, other.json()]).toEqual([200, { text: '{"name":"Ada"}' }]);
});

describe('skip', () => {
  const JSON_TYPE = 'application/json';
  const FORM_TYPE = 'application/x-www-form-urlencoded';

  it.each<[string, (options: BodyOptions) => Middleware, string, string]>([
    ['json()', json, JSON_TYPE, '"abcdef"'],
    ['urlencoded()', urlencoded, FORM_TYPE, 'a=bcdef'],
    ['text()', text, 'text/plain', 'abcdef'],
    ['raw()', raw, 'application/octet-stream', 'abcdef'],
  ])('leaves a body to a %s with another limit', async (_name, parser, type, body) => {
    const app = createApp()
      .use(errorHandler(), parser({ limit: 2, skip: ({ path }) => path === '/wide' }))
      .post('/wide', parser({ limit: 20, rawBody: true }), (ctx) => String(ctx.rawBody))
      .post('/narrow', parser({ limit: 20 }), () => 'read');
    const send = await sender(app);
    const post = (path: string) => send('POST', path, { body, headers: { 'Content-Type': type } });
    const [wide, narrow] = [await post('/wide'), await post('/narrow')];
    expect([wide.status, wide.json()]).toEqual([200, body]);
    expect(narrow.status).toBe(413);
  });

  it('is called for bodies that the parser would read', async () => {
    const skip = vi.fn(() => false);
    const app = createApp().use(json({ skip }), (ctx) => ctx.json(null));
    const send = await sender(app);
    await send('GET', '/');
    await send('POST', '/', { body: 'a', headers: { 'Content-Type': 'text/plain' } });
    expect(skip).not.toHaveBeenCalled();
    await send('POST', '/', { body: '1', headers: { 'Content-Type': JSON_TYPE } });
    expect(skip).toHaveBeenCalledOnce();
  });
});
