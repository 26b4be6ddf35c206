import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  type Application,
  type Context,
  createApp,
  errorHandler,
  json,
  type Middleware,
  NotFoundError,
} from '@fairlead/core';
import { serveStatic } from '@fairlead/static';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CompressionOptions,
  compression,
  etag,
  type RequestLogEntry,
  requestLogger,
  timeout,
} from '../src/index.js';
import { decode, decodeBytes, send, sendTo, serve } from './support/send.js';

const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');
const text = 'Fairlead guides a line to where it must run. '.repeat(100);

/** An application that compresses, with one handler for all requests. */
const create = (handler: Middleware, options?: CompressionOptions): Application =>
  createApp().use(compression(options), errorHandler(), handler);

const gzip = { 'Accept-Encoding': 'gzip' };

describe('a response', () => {
  it.each(['gzip', 'br', 'zstd'])('is compressed with %s', async (coding) => {
    const reply = await send(
      create((ctx) => ctx.json({ text })),
      { 'Accept-Encoding': coding },
    );
    expect(reply.headers).toMatchObject({
      'content-encoding': coding,
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(reply.bytes.length),
      vary: 'Accept-Encoding',
    });
    expect(reply.bytes.length).toBeLessThan(text.length / 10);
    expect(JSON.parse(decode(reply))).toEqual({ text });
  });

  it.each([
    ['text that is not ASCII', (ctx: Context) => ctx.send('é'.repeat(1_000)), 'é'.repeat(1_000)],
    [
      'bytes',
      (ctx: Context) => {
        ctx.set('Content-Type', 'text/csv');
        ctx.send(Buffer.from(text));
      },
      text,
    ],
    ['a Blob', (ctx: Context) => ctx.send(new Blob([text], { type: 'text/plain' })), text],
    [
      'a web Response',
      (ctx: Context) =>
        ctx.respond(new Response(text, { headers: { 'Content-Type': 'text/html' } })),
      text,
    ],
    ['an error', () => Promise.reject(new NotFoundError(text)), text],
  ])('can be %s', async (_what, handler, expected) => {
    const reply = await send(create(handler), gzip);
    expect(reply.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(decode(reply)).toContain(expected);
  });

  it('is compressed when a handler returns it', async () => {
    const app = createApp()
      .use(compression())
      .get('/', () => ({ text }));
    expect((await app.request('/', { headers: gzip })).headers.get('Content-Encoding')).toBe(
      'gzip',
    );
  });

  it('is decoded by fetch()', async () => {
    const { url } = await serve(create((ctx) => ctx.json({ text })));
    const response = await fetch(url, { headers: { 'Accept-Encoding': 'br' } });
    expect(response.headers.get('Content-Encoding')).toBe('br');
    expect(await response.json()).toEqual({ text });
  });

  it.each([{}, { 'Accept-Encoding': 'deflate' }, { 'Accept-Encoding': 'gzip;q=0' }])(
    'to a request with %j is not compressed, but varies',
    async (headers) => {
      const reply = await send(
        create((ctx) => ctx.send(text)),
        headers,
      );
      expect(reply.headers).not.toHaveProperty('content-encoding');
      expect(reply.headers.vary).toBe('Accept-Encoding');
      expect(String(reply.bytes)).toBe(text);
    },
  );

  it.each([
    ['Origin', 'Origin, Accept-Encoding'],
    ['Origin, accept-encoding', 'Origin, accept-encoding'],
    ['*', '*'],
  ])('with Vary: %s gets Vary: %s', async (vary, expected) => {
    const app = create((ctx) => {
      ctx.set('Vary', vary);
      ctx.send(text);
    });
    expect((await send(app, gzip)).headers.vary).toBe(expected);
  });

  it('keeps the error behind it for loggers', async () => {
    const entries: RequestLogEntry[] = [];
    const failure = new Error('broken');
    const app = createApp({ onError: () => undefined })
      .use(requestLogger({ logger: { info: (entry) => entries.push(entry) } }))
      .use(compression({ threshold: 0 }), errorHandler(), () => Promise.reject(failure));
    await send(app, gzip);
    expect(entries).toEqual([expect.objectContaining({ status: 500, error: failure })]);
  });

  it('that was taken over stays as it is', async () => {
    const app = create((ctx) => {
      ctx.send(text);
      const res = ctx.takeOver();
      setImmediate(() => res.writeHead(200, { 'Content-Type': 'text/plain' }).end('raw'));
    });
    const reply = await send(app, gzip);
    expect([reply.headers['content-encoding'], String(reply.bytes)]).toEqual([undefined, 'raw']);
  });

  it('that comes after a timeout does not change that of the timeout', async () => {
    const late = Promise.withResolvers<void>();
    const app = createApp({ onError: () => undefined })
      // Sends the response of the timeout once the late one was compressed.
      .use(async (_ctx, next) => Promise.resolve(next()).catch(() => late.promise))
      .use(timeout(1), async (_ctx, next) => {
        await next();
        late.resolve();
      })
      .use(compression({ threshold: 0 }), async (ctx) => {
        await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
        ctx.send(text);
      });
    const reply = await send(app, gzip);
    expect([reply.status, reply.headers['content-encoding']]).toEqual([503, undefined]);
    expect(JSON.parse(String(reply.bytes))).toMatchObject({ code: 'TIMED_OUT' });
  });

  it('passes two compressions only once', async () => {
    const app = createApp().use(compression(), compression(), (ctx) => ctx.send(text));
    const reply = await send(app, gzip);
    expect(reply.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(decode(reply)).toBe(text);
  });
});

describe('any body', () => {
  it.each(['gzip', 'br', 'zstd'])('is the same after %s was decoded', async (coding) => {
    const bodies: Uint8Array[] = [];
    const app = create(
      (ctx) => {
        ctx.set('Content-Type', 'text/plain');
        ctx.send(bodies.at(-1) ?? '');
      },
      { threshold: 0 },
    );
    const { url } = await serve(app);
    const headers = { 'Accept-Encoding': coding };
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 5_000 }), async (body) => {
        bodies.push(body);
        const reply = await sendTo(url, headers);
        expect(reply.headers['content-encoding']).toBe(coding);
        expect(new Uint8Array(decodeBytes(reply))).toEqual(body);
      }),
      { numRuns: 50 },
    );
  });

  it('is that of its request, when a client pipelines them', async () => {
    const app = createApp()
      .use(compression())
      .get('/:size', ({ params }) => 'x'.repeat(Number(params.size)));
    const connection = connectRaw((await serve(app)).port);
    const codings = ['gzip', 'br', 'zstd', 'gzip', 'br'];
    const sizes = [50_000, 10, 3_000, 100_000, 2_000];
    const requests = sizes.map(
      (size, index) =>
        `GET /${size} HTTP/1.1\r\nHost: a\r\nAccept-Encoding: ${codings[index]}\r\n\r\n`,
    );
    connection.socket.write(requests.join(''));
    const replies = await connection.responses(sizes.length);
    expect(replies.map((reply) => /^content-encoding: (.*)\r$/im.exec(reply)?.[1])).toEqual([
      'gzip',
      undefined,
      'zstd',
      'gzip',
      'br',
    ]);
  });
});

describe('a small body', () => {
  it.each([
    [1_023, undefined],
    [1_024, 'gzip'],
  ])('of %i bytes has the coding %s by default', async (length, coding) => {
    const reply = await send(
      create((ctx) => ctx.send('x'.repeat(length))),
      gzip,
    );
    expect(reply.headers['content-encoding']).toBe(coding);
    expect(reply.headers.vary).toBe('Accept-Encoding');
  });

  it('counts bytes, not characters', async () => {
    const app = create((ctx) => ctx.send('é'.repeat(10)), { threshold: 20 });
    expect((await send(app, gzip)).headers['content-encoding']).toBe('gzip');
  });

  it('is compressed for a client that refuses identity', async () => {
    const app = create((ctx) => ctx.send('x'));
    const reply = await send(app, { 'Accept-Encoding': 'gzip, identity;q=0' });
    expect(reply.headers['content-encoding']).toBe('gzip');
    expect(decode(reply)).toBe('x');
  });

  it('is sent as it is when the client accepts nothing', async () => {
    const app = create((ctx) => ctx.send('x'));
    const reply = await send(app, { 'Accept-Encoding': '*;q=0' });
    expect([reply.status, String(reply.bytes)]).toEqual([200, 'x']);
  });

  it('is that of a stream whose Content-Length is small', async () => {
    const app = create((ctx) => {
      ctx.set('Content-Type', 'text/plain');
      ctx.set('Content-Length', 1);
      ctx.send(Readable.from(['x']));
    });
    expect((await send(app, gzip)).headers).toMatchObject({ 'content-length': '1' });
  });
});

describe('is not compressed:', () => {
  it.each<[string, Record<string, string>]>([
    ['an image', { 'Content-Type': 'image/png' }],
    ['a zip archive', { 'Content-Type': 'application/zip' }],
    ['an archive', { 'Content-Type': 'application/x-tar' }],
    ['a video', { 'Content-Type': 'video/mp4' }],
    ['a font with its own compression', { 'Content-Type': 'font/woff2' }],
    ['unknown bytes', { 'Content-Type': 'application/octet-stream' }],
    ['a type that only begins like text', { 'Content-Type': 'application/jsonx' }],
    ['a body with a coding', { 'Content-Type': 'text/plain', 'Content-Encoding': 'br' }],
    ['no-transform', { 'Content-Type': 'text/plain', 'Cache-Control': 'max-age=1,NO-Transform' }],
    ['a body with a digest', { 'Content-Type': 'text/plain', 'Repr-Digest': 'sha-256=:AA==:' }],
  ])('%s', async (_what, headers) => {
    const app = create((ctx) => {
      for (const [name, value] of Object.entries(headers)) ctx.set(name, value);
      ctx.send(text);
    });
    const reply = await send(app, { 'Accept-Encoding': 'gzip, identity;q=0' });
    expect(reply.headers['content-encoding']).toBe(headers['Content-Encoding']);
    expect(reply.headers).not.toHaveProperty('vary');
    expect(String(reply.bytes)).toBe(text);
  });

  it.each(['TEXT/HTML; charset=utf-8', 'image/svg+xml', 'application/problem+json', 'font/ttf'])(
    'but %s is',
    async (type) => {
      const app = create((ctx) => {
        ctx.set('Content-Type', type);
        ctx.send(text);
      });
      expect((await send(app, gzip)).headers).toMatchObject({
        'content-encoding': 'gzip',
        'content-type': type,
      });
    },
  );

  it('what skip selects', async () => {
    const app = create((ctx) => ctx.send(text), { skip: ({ path }) => path === '/secret' });
    expect((await send(app, gzip)).headers['content-encoding']).toBe('gzip');
    const secret = await send(app, gzip, { path: '/secret' });
    expect(secret.headers).not.toHaveProperty('content-encoding');
    expect(secret.headers).not.toHaveProperty('vary');
  });

  it.each([
    ['204', 204],
    ['205', 205],
  ])('the empty body of %s', async (_what, status) => {
    const app = create((ctx) => {
      ctx.send(text);
      ctx.status = status;
    });
    const reply = await send(app, gzip);
    expect([reply.status, reply.headers['content-encoding'], reply.bytes.length]).toEqual([
      status,
      undefined,
      0,
    ]);
  });
});

describe('a range', () => {
  const app = () =>
    createApp().use(
      compression({ threshold: 0 }),
      errorHandler(),
      serveStatic(join(import.meta.dirname, '..')),
    );
  const path = '/README.md';

  it('is never compressed, but varies', async () => {
    const reply = await send(app(), { ...gzip, Range: 'bytes=2-5' }, { path });
    expect(reply.status).toBe(206);
    expect(reply.headers).not.toHaveProperty('content-encoding');
    expect(reply.bytes.length).toBe(4);
  });

  it.each(['GET', 'HEAD'])('cannot be requested of the compressed file of %s', async (method) => {
    const plain = await send(app(), {}, { path, method });
    const reply = await send(app(), gzip, { path, method });
    expect(plain.headers['accept-ranges']).toBe('bytes');
    expect(reply.headers).not.toHaveProperty('accept-ranges');
    expect(reply.headers).not.toHaveProperty('content-length');
    expect(reply.headers['content-encoding']).toBe('gzip');
  });

  it('that cannot be satisfied is an uncompressed error', async () => {
    const reply = await send(app(), { ...gzip, Range: 'bytes=99999999-' }, { path });
    expect([reply.status, reply.headers['content-encoding']]).toEqual([416, undefined]);
  });
});

describe('HEAD', () => {
  it.each<[string, Middleware]>([
    ['text', (ctx) => ctx.send(text)],
    ['a stream', (ctx) => ctx.send(Readable.from([text]))],
    ['a small body', (ctx) => ctx.send('x')],
  ])('of %s has the headers of GET', async (_what, handler) => {
    const typed: Middleware = (ctx, next) => {
      ctx.set('Content-Type', 'text/plain');
      ctx.set('ETag', '"7"');
      return handler(ctx, next);
    };
    const replies = [];
    for (const method of ['GET', 'HEAD']) {
      const { headers, bytes } = await send(create(typed), gzip, { method });
      const { date, 'transfer-encoding': framing, ...others } = headers;
      replies.push(others);
      if (method === 'HEAD') expect(bytes.length).toBe(0);
    }
    expect(replies[1]).toEqual(replies[0]);
  });

  it('with a stated length does not state it for the compressed body', async () => {
    const app = create((ctx) => {
      ctx.set('Content-Type', 'text/plain');
      ctx.set('Content-Length', text.length);
      ctx.send('');
    });
    const { headers } = await send(app, gzip, { method: 'HEAD' });
    expect(headers['content-encoding']).toBe('gzip');
    expect(headers).not.toHaveProperty('content-length');
  });
});

describe('an ETag', () => {
  const app = () =>
    createApp().use(compression(), etag(), (ctx) => {
      if (ctx.path === '/weak') ctx.set('ETag', 'W/"7"');
      ctx.send(text);
    });

  it('of a compressed response is weak', async () => {
    const plain = (await send(app())).headers.etag;
    expect(plain).toMatch(/^"/);
    expect((await send(app(), gzip)).headers.etag).toBe(`W/${plain}`);
    expect((await send(app(), gzip, { path: '/weak' })).headers.etag).toBe('W/"7"');
  });

  it('of both forms matches If-None-Match', async () => {
    const tag = String((await send(app())).headers.etag);
    for (const tags of [tag, `W/${tag}`]) {
      const reply = await send(app(), { ...gzip, 'If-None-Match': tags });
      expect(reply.status).toBe(304);
      expect(reply.headers).toMatchObject({ etag: `W/${tag}`, vary: 'Accept-Encoding' });
      expect(reply.headers).not.toHaveProperty('content-encoding');
    }
    const plain = await send(app(), { 'If-None-Match': `W/${tag}` });
    expect([plain.status, plain.headers.etag]).toEqual([304, tag]);
  });

  it('of a 304 without a body is weak, too', async () => {
    const bare = create((ctx) => {
      ctx.set('ETag', '"7"');
      ctx.status = 304;
    });
    expect((await send(bare, gzip)).headers).toMatchObject({
      etag: 'W/"7"',
      vary: 'Accept-Encoding',
    });
    expect((await send(bare)).headers.etag).toBe('"7"');
  });
});

describe('compression() rejects', () => {
  it.each<[unknown, string]>([
    [{ treshold: 1 }, "compression() has no option 'treshold'. Did you mean 'threshold'?"],
    [
      { threshold: '1kb' },
      "threshold of compression() must be a non-negative integer number of bytes: got '1kb'.",
    ],
    [
      { encodings: [] },
      'encodings of compression() must be an array of at least one of zstd, br, gzip: got [].',
    ],
    [
      { encodings: ['deflate'] },
      "encodings of compression() must be an array of at least one of zstd, br, gzip: got ['deflate'].",
    ],
    [
      { encodings: ['br', 'br'] },
      "encodings of compression() must be an array of at least one of zstd, br, gzip: got ['br', 'br'].",
    ],
    [
      { levels: { zstd: 20, brotli: 1 } },
      "zstd of compression({ levels }) must be an integer from 1 to 19: got 20.\ncompression({ levels }) has no option 'brotli'. Remove it, or use zstd, br or gzip.",
    ],
    [
      { types: ['text/plain; charset=utf-8'] },
      "types of compression() must be an array of media types without parameters, such as 'application/x-tar': got ['text/plain; charset=utf-8'].",
    ],
    [{ skip: true }, 'skip of compression() must be a function: got true.'],
    [null, 'options of compression() must be an object: got null.'],
  ])('%j', (options, message) => {
    expect(() => compression(options as CompressionOptions)).toThrow(
      expect.objectContaining({
        name: 'SetupError',
        code: 'INVALID_OPTION',
        message,
      }),
    );
  });

  it('its use without a call', () => {
    expect(() =>
      createApp()
        .use(compression as never)
        .seal(),
    ).toThrow('compression()');
  });
});

describe('options', () => {
  it('encodings are in order of preference', async () => {
    const app = create((ctx) => ctx.send(text), { encodings: ['gzip', 'br'] });
    const reply = await send(app, { 'Accept-Encoding': 'zstd, br, gzip' });
    expect(reply.headers['content-encoding']).toBe('gzip');
  });

  it.each([
    ['gzip', 9],
    ['br', 11],
    ['zstd', 19],
  ] as const)('levels change how hard %s compresses', async (coding, most) => {
    const size = async (level: number) => {
      const app = create((ctx) => ctx.send(readme), { levels: { [coding]: level } });
      return (await send(app, { 'Accept-Encoding': coding })).bytes.length;
    };
    expect(await size(most)).toBeLessThan(await size(1));
  });

  it('types adds media types', async () => {
    const app = create(
      (ctx) => {
        ctx.set('Content-Type', 'application/vnd.own; v=1');
        ctx.send(text);
      },
      { types: ['Application/vnd.own'] },
    );
    expect((await send(app, gzip)).headers['content-encoding']).toBe('gzip');
  });
});

it('a request body is not affected', async () => {
  const app = createApp()
    .use(compression(), json())
    .post('/', (ctx) => ctx.body);
  const { url } = await serve(app);
  const body = JSON.stringify({ text });
  const headers = { ...gzip, 'Content-Type': 'application/json' };
  const response = await fetch(url, { method: 'POST', body, headers });
  expect(await response.json()).toEqual({ text });
});
