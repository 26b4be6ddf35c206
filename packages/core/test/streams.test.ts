import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { PassThrough, pipeline, Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import { beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import {
  type Context,
  createApp,
  errorHandler,
  HttpError,
  type Middleware,
  type RequestOutcome,
} from '../src/index.js';
import { sender } from './support/send.js';
import { serve } from './support/serve.js';

/** Keeps the framework's stderr output out of the test output. */
let stderr: MockInstance<typeof console.error>;
beforeEach(() => {
  stderr = vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

async function getResponse(handler: Middleware, method = 'GET') {
  const send = await sender(createApp().use(errorHandler(), handler));
  return send(method, '/');
}

/** A file that exists. */
const file = fileURLToPath(import.meta.url);
const content = await readFile(file, 'utf8');

/** A stream without data that ends only when it is destroyed. */
const idle = () => new Readable({ read: () => undefined });

/** Resolves when a stream closes, with or without an error. */
const closeOf = (stream: Readable) => new Promise<void>((resolve) => stream.once('close', resolve));

describe('a stream', () => {
  it.each([
    ['of node', () => Readable.from([Buffer.from('one '), Buffer.from('two')])],
    ['of text', () => Readable.from(['one ', 'two'])],
    ['of the web', () => new Blob(['one two']).stream() as ReadableStream],
  ])('%s is sent in chunks, as bytes', async (_, createStream) => {
    const reply = await getResponse((ctx) => ctx.send(createStream()));
    expect(reply.text).toBe('one two');
    expect(reply.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'transfer-encoding': 'chunked',
    });
  });

  it('is sent with the Content-Type and Content-Length that were set', async () => {
    const reply = await getResponse((ctx) => {
      ctx.set('Content-Type', 'text/csv');
      ctx.set('Content-Length', 3);
      ctx.send(Readable.from(['a,b']));
    });
    expect(reply.text).toBe('a,b');
    expect(reply.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-length': '3',
    });
    expect(reply.headers).not.toHaveProperty('transfer-encoding');
  });

  it('is read no faster than the client receives it', async () => {
    const chunk = Buffer.alloc(64 * 1024);
    const waiting: number[] = [];
    const reply = await getResponse((ctx) => {
      const chunks = function* () {
        for (let sent = 0; sent < 200; sent += 1) {
          waiting.push(ctx.res.writableLength);
          yield chunk;
        }
      };
      ctx.send(Readable.from(chunks(), { highWaterMark: 1 }));
    });
    expect(reply.bytes).toHaveLength(200 * chunk.length);
    expect(Math.max(...waiting)).toBeLessThan(4 * chunk.length);
  });

  it('is not sent for HEAD, and is destroyed', async () => {
    const stream = idle();
    const reply = await getResponse((ctx) => ctx.send(stream), 'HEAD');
    expect(reply).toMatchObject({ status: 200, text: '' });
    await expect.poll(() => stream.closed).toBe(true);
  });

  it.each([204, 304])('is not sent with status %i, and is destroyed', async (status) => {
    const stream = idle();
    const reply = await getResponse((ctx) => {
      ctx.status = status;
      ctx.send(stream);
    });
    expect(reply).toMatchObject({ status, text: '' });
    await expect.poll(() => stream.closed).toBe(true);
  });

  it.each<[string, Middleware]>([
    ['another body', (ctx) => ctx.json(null)],
    [
      'an error',
      () => {
        throw new Error('After all.');
      },
    ],
  ])('that is replaced by %s is destroyed', async (_, replace) => {
    const stream = idle();
    await getResponse((ctx, next) => {
      ctx.send(stream);
      return replace(ctx, next);
    });
    await expect.poll(() => stream.closed).toBe(true);
  });

  it('of the web is canceled when it is replaced', async () => {
    const cancelled = vi.fn();
    await getResponse((ctx) => {
      ctx.send(new ReadableStream({ cancel: cancelled }));
      ctx.json(null);
    });
    expect(cancelled).toHaveBeenCalledTimes(1);
  });

  it('of the web is a Readable in ctx.responseBody, which closes after cancel() settles', async () => {
    const steps: string[] = [];
    const closed = Promise.withResolvers<void>();
    await getResponse((ctx) => {
      const cancel = async () => {
        await setImmediate();
        steps.push('canceled');
      };
      ctx.send(new ReadableStream({ cancel }));
      void closeOf(ctx.responseBody as Readable).then(() => {
        steps.push('closed');
        closed.resolve();
      });
      ctx.json(null);
    });
    await closed.promise;
    expect(steps).toEqual(['canceled', 'closed']);
  });

  it('that failed before it was sent is a 500', async () => {
    const reply = await getResponse(async (ctx) => {
      const stream = idle();
      ctx.send(stream);
      const failed = closeOf(stream);
      stream.destroy(new Error('No such file.'));
      await failed;
    });
    expect(reply.json()).toMatchObject({ status: 500, code: 'INTERNAL_SERVER_ERROR' });
    expect(stderr.mock.calls).toEqual([[new Error('No such file.')]]);
  });

  const broken = new Error('The disk is gone.');
  const fails = async function* (error: Error = broken) {
    yield* await setImmediate().then(() => Promise.reject<string[]>(error));
  };

  it.each<[string, Middleware]>([
    ['of node', (ctx) => ctx.send(Readable.from(fails()))],
    ['of the web', (ctx) => ctx.send(ReadableStream.from(fails()))],
    ['from a generator', (ctx) => ctx.send(fails())],
    ['that a handler returns', (ctx) => ctx.respond(fails())],
    [
      'that another stream reads',
      (ctx) => {
        ctx.send(fails());
        ctx.replaceBody(pipeline(ctx.responseBody as Readable, new PassThrough(), () => undefined));
      },
    ],
  ])('%s that fails before its first chunk is a 500', async (_, handler) => {
    const reply = await getResponse((ctx, next) => {
      ctx.set('Content-Length', 3);
      ctx.set('Vary', 'Accept');
      return handler(ctx, next);
    });
    expect(reply).toMatchObject({ status: 500, headers: { vary: 'Accept' } });
    expect(reply.json()).toMatchObject({ code: 'INTERNAL_SERVER_ERROR' });
    expect(stderr.mock.calls).toEqual([[broken]]);
  });

  it('that fails before its first chunk is a response with the status of its error', async () => {
    const errors: unknown[] = [];
    const listener = Promise.withResolvers<RequestOutcome>();
    const app = createApp().use(
      errorHandler({
        onError: (error) => errors.push(error),
        format: ({ code }) => ({ sent: code }),
      }),
      (ctx) => {
        ctx.onFinish(listener.resolve);
        ctx.send(fails(new HttpError(502, 'The upstream is gone.', { code: 'UPSTREAM_GONE' })));
      },
    );
    const send = await sender(app);
    const reply = await send('GET', '/');
    expect(reply.status).toBe(502);
    expect(reply.json()).toEqual({ sent: 'UPSTREAM_GONE' });
    expect(errors).toEqual([expect.objectContaining({ code: 'UPSTREAM_GONE' })]);
    expect(await listener.promise).toMatchObject({ status: 502, aborted: false, error: errors[0] });
  });

  it('without any chunk is an empty response', async () => {
    const reply = await getResponse((ctx) => ctx.send(Readable.from([])));
    expect(reply).toMatchObject({ status: 200, text: '' });
  });

  it('may set headers and the status until its first chunk', async () => {
    const reply = await getResponse((ctx) =>
      ctx.send(
        (async function* () {
          await setImmediate();
          ctx.status = 206;
          ctx.set('X-Total', '7');
          yield 'first';
        })(),
      ),
    );
    expect(reply).toMatchObject({ status: 206, headers: { 'x-total': '7' }, text: 'first' });
  });

  it.each<[string, (ctx: Context) => unknown, string]>([
    ['set a header', (ctx) => ctx.set('Vary', '*'), "the header 'Vary'"],
    ['append to a header', (ctx) => ctx.append('Vary', 'Accept'), "the header 'Vary'"],
    ['delete a header', (ctx) => ctx.responseHeaders.delete('Vary'), "the header 'Vary'"],
    [
      'set the status',
      (ctx) => {
        ctx.status = 500;
      },
      'the status',
    ],
  ])('fails if it tries to %s that was sent', async (_, change, part) => {
    const received = Promise.withResolvers<void>();
    const failed = Promise.withResolvers<unknown>();
    const app = createApp().use((ctx) => {
      ctx.set('Vary', 'Cookie');
      ctx.send(
        (async function* () {
          yield 'first';
          await received.promise;
          try {
            change(ctx);
          } catch (error) {
            failed.resolve(error);
          }
        })(),
      );
    });
    const { url } = await serve(app);
    const response = await fetch(url);
    received.resolve();
    await response.text();
    expect(await failed.promise).toEqual(
      new TypeError(
        `Cannot change ${part}: the headers of the response were sent. Change it before the stream produces its first bytes.`,
      ),
    );
  });

  it.each(['GET', 'HEAD'])('of a file that cannot be opened is a 500 to %s', async (method) => {
    const reply = await getResponse((ctx) => {
      ctx.set('Content-Length', 7);
      ctx.send(createReadStream('/does/not/exist'));
    }, method);
    expect(reply.status).toBe(500);
    expect(reply.headers['content-type']).toBe('application/problem+json');
    expect(stderr).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'ENOENT' }));
  });

  it.each([
    ['GET', content],
    ['HEAD', ''],
  ])('of a file that opens is sent to %s', async (method, text) => {
    const reply = await getResponse((ctx) => ctx.send(createReadStream(file)), method);
    expect(reply).toMatchObject({ status: 200, text });
  });

  it('of a file is closed when the client leaves before it opens', async () => {
    const stream = createReadStream(file);
    const app = createApp().use((ctx) => {
      ctx.send(stream);
      ctx.req.socket.destroy();
    });
    const closed = closeOf(stream);
    const { port } = await serve(app);
    connectRaw(port).socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await closed;
    expect(stderr).not.toHaveBeenCalled();
  });

  it('that is locked to another reader is a 500', async () => {
    const reply = await getResponse((ctx) => {
      const stream = new ReadableStream();
      stream.getReader();
      ctx.send(stream);
    });
    expect(reply.json()).toMatchObject({ status: 500, code: 'INTERNAL_SERVER_ERROR' });
  });
});

const wrongLength = (word: string) =>
  new RangeError(
    `The stream has ${word} bytes than its Content-Length of 3. Set Content-Length to the size of the stream, or omit it.`,
  );

describe('a connection', () => {
  const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

  it('closes when the stream fails after its first chunk, and the error is logged', async () => {
    const broken = new Error('The disk is gone.');
    const received = Promise.withResolvers<void>();
    const chunks = async function* () {
      yield 'half';
      await received.promise;
      throw broken;
    };
    const { port } = await serve(createApp().use((ctx) => ctx.send(Readable.from(chunks()))));
    const { socket, ended } = connectRaw(port);
    socket.write(REQUEST);
    await once(socket, 'data');
    received.resolve();
    expect(await ended()).not.toMatch(/0\r\n\r\n$/);
    expect(stderr.mock.calls).toEqual([[broken]]);
  });

  it.each([
    ['more', ['wo!']],
    ['fewer', []],
  ])(
    'closes when its stream turns out to have %s bytes than its Content-Length',
    async (word, rest) => {
      const received = Promise.withResolvers<void>();
      const chunks = async function* () {
        yield 't';
        await received.promise;
        yield* rest;
      };
      const app = createApp().use((ctx) => {
        ctx.set('Content-Length', 3);
        ctx.send(chunks());
      });
      const { port } = await serve(app);
      const { socket, ended } = connectRaw(port);
      socket.write(REQUEST);
      await once(socket, 'data');
      received.resolve();
      expect(await ended()).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\nt$/);
      expect(stderr.mock.calls).toEqual([[wrongLength(word)]]);
    },
  );

  it('destroys the stream when the client closes it, without an error', async () => {
    const stream = idle();
    stream.push('begun');
    const closed = closeOf(stream);
    const { port } = await serve(createApp().use((ctx) => ctx.send(stream)));
    const { socket } = connectRaw(port);
    socket.write(REQUEST);
    await once(socket, 'data');
    socket.destroy();
    await closed;
    expect(stderr).not.toHaveBeenCalled();
  });

  it('destroys a stream without data when the client closes it, without an error', async () => {
    const reading = Promise.withResolvers<void>();
    const stream = new Readable({ read: () => reading.resolve() });
    const closed = closeOf(stream);
    const { port } = await serve(createApp().use((ctx) => ctx.send(stream)));
    const { socket } = connectRaw(port);
    socket.write(REQUEST);
    await reading.promise;
    socket.destroy();
    await closed;
    expect(stderr).not.toHaveBeenCalled();
  });

  it('destroys the stream when the handler destroys the response, without an error', async () => {
    const stream = idle();
    stream.push('begun');
    const closed = closeOf(stream);
    let destroy = (): unknown => undefined;
    const app = createApp().use((ctx) => {
      destroy = () => ctx.res.destroy();
      ctx.send(stream);
    });
    const { port } = await serve(app);
    const { socket } = connectRaw(port);
    socket.write(REQUEST);
    await once(socket, 'data');
    destroy();
    await Promise.all([closed, once(socket, 'close')]);
    expect(stderr).not.toHaveBeenCalled();
  });
});
