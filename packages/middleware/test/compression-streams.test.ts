import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import zlib from 'node:zlib';
import { createApp, type Middleware } from '@fairlead/core';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import { describe, expect, it } from 'vitest';
import { compression, sendEvents } from '../src/index.js';
import { decode, send, serve } from './support/send.js';

const CODINGS = ['gzip', 'br', 'zstd'] as const;

const decoders = {
  gzip: zlib.createGunzip,
  br: zlib.createBrotliDecompress,
  zstd: zlib.createZstdDecompress,
};

const GET = 'GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n';

/** An application that compresses, with one handler for all requests. */
const create = (handler: Middleware, onError: (error: unknown) => void = () => undefined) =>
  createApp({ onError }).use(compression(), handler);

/** Sends text as a stream, or what else has the type `text/plain`. */
const sendText = (body: Readable): Middleware => {
  return (ctx) => {
    ctx.set('Content-Type', 'text/plain');
    ctx.send(body);
  };
};

/** Requests a coding, and returns the decoded response as a stream. */
async function open(handler: Middleware, coding: (typeof CODINGS)[number]) {
  const { url } = await serve(create(handler));
  const sent = request(url, { headers: { 'Accept-Encoding': coding }, agent: false }).end();
  const [response] = await once(sent, 'response');
  expect(response.headers['content-encoding']).toBe(coding);
  return response.pipe(decoders[coding]()).setEncoding('utf8');
}

describe('a stream', () => {
  it.each(CODINGS)('arrives chunk by chunk with %s', async (coding) => {
    const source = new Readable({ read: () => undefined });
    // Node sends the head with the first chunk.
    source.push('first');
    const decoded = await open(sendText(source), coding);
    expect(await once(decoded, 'data')).toEqual(['first']);
    for (const chunk of ['second', 'third']) {
      source.push(chunk);
      expect(await once(decoded, 'data')).toEqual([chunk]);
    }
    source.push(null);
    decoded.resume();
    await once(decoded, 'end');
  });

  it.each(CODINGS)('of many chunks is complete with %s', async (coding) => {
    const chunks = Array.from({ length: 2_000 }, (_, index) => `line ${index}\n`);
    const app = create(sendText(Readable.from(chunks, { objectMode: false })));
    const reply = await send(app, { 'Accept-Encoding': coding });
    expect(decode(reply)).toBe(chunks.join(''));
    expect(reply.headers).toMatchObject({
      'transfer-encoding': 'chunked',
      vary: 'Accept-Encoding',
    });
  });

  it('of chunks that follow each other immediately is not flushed after each', async () => {
    const chunks = Array.from({ length: 2_000 }, () => 'the same line\n');
    const app = create(sendText(Readable.from(chunks, { objectMode: false })));
    const { bytes } = await send(app, { 'Accept-Encoding': 'gzip' });
    // A flush takes at least five bytes.
    expect(bytes.length).toBeLessThan(2_000);
  });

  it('has a window of 128 KiB, so that a client that reads nothing holds little memory', async () => {
    const createStreamed = () => create(sendText(Readable.from(['text'], { objectMode: false })));
    const br = await send(createStreamed(), { 'Accept-Encoding': 'br' });
    // RFC 7932 §9.1: these seven bits mean 17, the logarithm of the size.
    expect((br.bytes[0] ?? 0) & 0b111_1111).toBe(0b000_0001);
    const zstd = await send(createStreamed(), { 'Accept-Encoding': 'zstd' });
    // RFC 8878 §3.1.1.1.2: an exponent of 7 in five bits, and a mantissa of 0 in three.
    expect(zstd.bytes[5]).toBe(7 << 3);
  });

  it('may be empty', async () => {
    const reply = await send(create(sendText(Readable.from([]))), { 'Accept-Encoding': 'gzip' });
    expect(decode(reply)).toBe('');
  });

  it('may be an async iterable that a handler returns', async () => {
    async function* letters() {
      yield 'a';
      yield 'b';
    }
    const app = createApp()
      .use(compression())
      .get('/', (ctx) => {
        ctx.set('Content-Type', 'text/plain');
        return letters();
      });
    const reply = await send(app, { 'Accept-Encoding': 'gzip' });
    expect([reply.headers['content-encoding'], decode(reply)]).toEqual(['gzip', 'ab']);
  });

  it('may be a generator that sets headers before its first chunk', async () => {
    const app = createApp()
      .use(compression())
      .get('/', (ctx) => {
        ctx.set('Content-Type', 'text/plain');
        return (async function* () {
          ctx.set('Content-Length', 2);
          ctx.set('ETag', '"7"');
          yield 'a';
          yield 'b';
        })();
      });
    const reply = await send(app, { 'Accept-Encoding': 'gzip' });
    expect([reply.headers['content-encoding'], decode(reply)]).toEqual(['gzip', 'ab']);
    expect(reply.headers.etag).toBe('W/"7"');
    expect(reply.headers).not.toHaveProperty('content-length');
  });

  it('may be an empty generator that states its length', async () => {
    const app = createApp()
      .use(compression())
      .get('/', (ctx) => {
        ctx.set('Content-Type', 'text/plain');
        return (async function* () {
          ctx.set('Content-Length', 0);
          yield* [];
        })();
      });
    const reply = await send(app, { 'Accept-Encoding': 'gzip' });
    expect([reply.headers['content-encoding'], decode(reply)]).toEqual(['gzip', '']);
  });

  it('names the coding that a generator has applied, too', async () => {
    const app = createApp()
      .use(compression())
      .get('/', (ctx) => {
        ctx.set('Content-Type', 'text/plain');
        return (async function* () {
          ctx.set('Content-Encoding', 'br');
          yield zlib.brotliCompressSync('a');
        })();
      });
    const reply = await send(app, { 'Accept-Encoding': 'gzip' });
    expect(reply.headers['content-encoding']).toBe('br, gzip');
    expect(zlib.brotliDecompressSync(zlib.gunzipSync(reply.bytes)).toString()).toBe('a');
  });

  it.each([
    ['more', 4, 'The stream has more bytes than its Content-Length of 4.'],
    ['fewer', 2_000, 'The stream has fewer bytes than its Content-Length of 2000.'],
  ])(
    'with %s bytes than its Content-Length, found before the first bytes are sent, is a 500',
    async (_what, length, message) => {
      const failed = Promise.withResolvers<unknown>();
      const app = createApp({ onError: failed.resolve }).use(
        compression({ threshold: 0 }),
        (ctx) => {
          ctx.set('Content-Length', length);
          return sendText(Readable.from(['123', '45']))(ctx, () => undefined);
        },
      );
      expect(await send(app, { 'Accept-Encoding': 'gzip' })).toHaveProperty('status', 500);
      expect(await failed.promise).toHaveProperty('message', expect.stringContaining(message));
    },
  );

  it('that fails closes the connection and reports its error', async () => {
    const failed = Promise.withResolvers<unknown>();
    const failure = new Error('disk full');
    const source = new Readable({ read: () => undefined });
    const { socket, ended } = connectRaw(
      (await serve(create(sendText(source), failed.resolve))).port,
    );
    socket.write(GET);
    source.push('first');
    await once(socket, 'data');
    source.destroy(failure);
    expect(await ended()).not.toMatch(/0\r\n\r\n$/);
    expect(await failed.promise).toBe(failure);
  });

  it('that has failed before it is sent is a 500', async () => {
    const app = create((ctx, next) => {
      const source = new Readable({ read: () => undefined }).destroy(new Error('gone'));
      return sendText(source)(ctx, next);
    });
    expect((await send(app, { 'Accept-Encoding': 'gzip' })).status).toBe(500);
  });
});

it.each<[string, () => Readable, string?]>([
  ['of objects', () => Readable.from([{ row: 1 }])],
  ['with fewer bytes than its Content-Length', () => Readable.from(['a'.repeat(10)]), '2000'],
  ['with more bytes than its Content-Length', () => Readable.from(['a'.repeat(4_000)]), '2000'],
  ['that was destroyed', () => new Readable({ read: () => undefined }).destroy()],
  [
    'that fails when it is read',
    () =>
      new Readable({
        read() {
          this.destroy(new Error('gone'));
        },
      }),
  ],
])('a stream %s is an uncompressed error response', async (_case, createStream, length) => {
  const errors: unknown[] = [];
  const app = create(
    (ctx) => {
      for (const value of [length].flatMap((one) => one ?? [])) ctx.set('Content-Length', value);
      ctx.set('Content-Type', 'text/csv');
      ctx.send(createStream());
    },
    (error) => errors.push(error),
  );
  const response = await app.request('/', { headers: { 'Accept-Encoding': 'gzip' } });
  expect([response.status, response.headers.get('Content-Encoding')]).toEqual([500, null]);
  expect(await response.json()).toMatchObject({ code: 'INTERNAL_SERVER_ERROR' });
  expect(errors).toHaveLength(1);
});

describe('a client that leaves', () => {
  it('destroys the source and the compressor, and is no error', async () => {
    const errors: unknown[] = [];
    const source = new Readable({ read: () => undefined });
    const bodies: unknown[] = [];
    const app = createApp({ onError: (error) => errors.push(error) })
      .use(async (ctx, next) => {
        await next();
        bodies.push(ctx.responseBody);
      })
      .use(compression(), sendText(source));
    const { socket } = connectRaw((await serve(app)).port);
    socket.write(GET);
    source.push('first');
    await once(socket, 'data');
    const closed = once(source, 'close');
    socket.destroy();
    await closed;
    const [compressor] = bodies as [Readable];
    expect(compressor).not.toBe(source);
    if (!compressor.closed) await once(compressor, 'close');
    expect([compressor.destroyed, source.destroyed, errors]).toEqual([true, true, []]);
  });

  it('is one of many: each source and each compressor is destroyed', async () => {
    const errors: unknown[] = [];
    const streams: Readable[] = [];
    const app = createApp({ onError: (error) => errors.push(error) })
      .use(async (ctx, next) => {
        await next();
        streams.push(ctx.responseBody as Readable);
      })
      .use(compression(), (ctx, next) => {
        const source = new Readable({
          read() {
            this.push(randomBytes(16_384));
          },
        });
        streams.push(source);
        return sendText(source)(ctx, next);
      });
    const { port } = await serve(app);
    const clients = Array.from({ length: 50 }, () => {
      const { socket } = connectRaw(port);
      socket.write(GET.repeat(3));
      return socket;
    });
    await Promise.all(clients.map((socket) => once(socket, 'data')));
    for (const socket of clients) socket.destroy();
    await expect.poll(() => streams.filter((stream) => !stream.closed).length).toBe(0);
    expect(streams.length).toBeGreaterThanOrEqual(100);
    expect(errors).toEqual([]);
  });

  it('while a whole body is compressed is no error', async () => {
    const errors: unknown[] = [];
    const compressed = Promise.withResolvers<void>();
    const app = createApp({ onError: (error) => errors.push(error) })
      .use(async (_ctx, next) => {
        await next();
        compressed.resolve();
      })
      .use(compression(), async (ctx) => {
        await once(ctx.signal, 'abort');
        ctx.json('x'.repeat(100_000));
      });
    const server = await serve(app);
    const { socket } = connectRaw(server.port);
    socket.write(GET);
    await once(server.node, 'request');
    socket.destroy();
    await compressed.promise;
    expect(errors).toEqual([]);
  });

  it('before the response destroys the source', async () => {
    const source = new Readable({ read: () => undefined });
    const app = create(async (ctx) => {
      await once(ctx.res, 'close');
      sendText(source)(ctx, () => undefined);
    });
    const server = await serve(app);
    const { socket } = connectRaw(server.port);
    socket.write(GET);
    await once(server.node, 'request');
    const closed = once(source, 'close');
    socket.destroy();
    await closed;
    expect(source.destroyed).toBe(true);
  });

  it.each(['HEAD'])('is like one that sends %s, which reads nothing', async (method) => {
    let reads = 0;
    const source = new Readable({
      read() {
        reads += 1;
      },
    });
    const closed = once(source, 'close');
    const reply = await send(create(sendText(source)), { 'Accept-Encoding': 'gzip' }, { method });
    await closed;
    expect([reply.headers['content-encoding'], reads]).toEqual(['gzip', 0]);
  });
});

it('a client that reads nothing stops the source', async () => {
  const LARGE = 256 * 1024 ** 2;
  let pulled = 0;
  const source = new Readable({
    read(size) {
      pulled += size;
      // Random bytes stay as many when they are compressed.
      this.push(pulled > LARGE ? null : randomBytes(size));
    },
  });
  const { port } = await serve(create(sendText(source)), { writeTimeout: 200 });
  const { socket } = connectRaw(port);
  socket.pause();
  socket.write(GET);
  await once(source, 'close');
  expect(pulled).toBeLessThan(LARGE / 4);
});

describe('server-sent events', () => {
  it('are not compressed, because sendEvents() forbids it', async () => {
    const app = create((ctx) => sendEvents(ctx, Readable.from([{ data: 'a' }])));
    const reply = await send(app, { 'Accept-Encoding': 'gzip' });
    expect(reply.headers).not.toHaveProperty('content-encoding');
    expect(String(reply.bytes)).toBe('data: a\n\n');
  });

  it.each(CODINGS)('arrive one by one with %s without no-transform', async (coding) => {
    const ended = Promise.withResolvers<void>();
    const next = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    const decoded = await open((ctx) => {
      sendEvents(
        ctx,
        (async function* () {
          try {
            for (const { promise } of next) yield { data: await promise };
            await once(ctx.signal, 'abort');
          } finally {
            ended.resolve();
          }
        })(),
      );
      ctx.set('Cache-Control', 'no-cache');
    }, coding);
    next[0]?.resolve('one');
    expect(await once(decoded, 'data')).toEqual(['data: one\n\n']);
    next[1]?.resolve('two');
    expect(await once(decoded, 'data')).toEqual(['data: two\n\n']);
  });
});
