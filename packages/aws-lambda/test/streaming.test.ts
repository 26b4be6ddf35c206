import { once } from 'node:events';
import { Writable } from 'node:stream';
import { createApp, SetupError } from '@fairlead/core';
import { sendEvents } from '@fairlead/middleware';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createStreamingHandler, type StreamingLambdaHandler } from '../src/index.js';
import { context, functionUrlEvent, restApiEvent } from './events.js';

/**
 * The stream of Lambda's runtime, as a client behind a gateway sees it. Like the runtime, it sends the head
 * with the first write.
 */
class ResponseStream extends Writable {
  head: unknown;
  readonly chunks: string[] = [];
  announced: unknown;
  onWrite: (chunk: string) => void = () => undefined;

  override write(...values: unknown[]): boolean {
    this.head ??= this.announced;
    return Reflect.apply(super.write, this, values);
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    if (chunk.length > 0) this.chunks.push(chunk.toString());
    this.onWrite(chunk.toString());
    done();
  }
}

beforeEach(() => {
  vi.stubGlobal('awslambda', {
    streamifyResponse: (handler: StreamingLambdaHandler) => handler,
    HttpResponseStream: {
      from: (stream: ResponseStream, head: unknown) => Object.assign(stream, { announced: head }),
    },
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('createStreamingHandler()', () => {
  it('streams the parts of a response as they are made', async () => {
    const made = Promise.withResolvers<void>();
    const app = createApp().get('/users/:id', (ctx) => {
      ctx.append('Set-Cookie', ['a=1', 'b=2']);
      ctx.set('Content-Type', 'text/plain');
      return ctx.send(
        (async function* () {
          yield 'first';
          await made.promise;
          yield 'second';
        })(),
      );
    });
    const stream = new ResponseStream();
    const first = new Promise<string>((resolve) => {
      stream.onWrite = (chunk) => chunk !== '' && resolve(chunk);
    });
    const done = createStreamingHandler(app)(functionUrlEvent, stream, context);
    expect(await first).toBe('first');
    made.resolve();
    await done;
    expect(stream.chunks).toEqual(['first', 'second']);
    expect(stream.head).toEqual({
      statusCode: 200,
      headers: { 'content-type': 'text/plain; charset=utf-8', date: expect.any(String) },
      cookies: ['a=1', 'b=2'],
    });
    expect(stream.writableFinished).toBe(true);
  });

  it('streams server-sent events', async () => {
    const app = createApp().get('/users/:id', (ctx) =>
      sendEvents(
        ctx,
        (async function* () {
          yield { data: 'one' };
        })(),
      ),
    );
    const stream = new ResponseStream();
    await createStreamingHandler(app)(functionUrlEvent, stream, context);
    expect(stream.chunks.join('')).toContain('data: one\n\n');
  });

  it('sends the head of a response without a body', async () => {
    const app = createApp().get('/users/:id', (ctx) => {
      ctx.status = 204;
    });
    const stream = new ResponseStream();
    await createStreamingHandler(app)(functionUrlEvent, stream, context);
    expect(stream.head).toMatchObject({ statusCode: 204 });
    expect(stream.chunks).toEqual([]);
    expect(stream.writableFinished).toBe(true);
  });

  it('sends lists of values to a REST API', async () => {
    const app = createApp().get('/users/:id', () => 1);
    const stream = new ResponseStream();
    await createStreamingHandler(app)(restApiEvent, stream, context);
    expect(stream.head).toMatchObject({
      multiValueHeaders: { 'content-type': ['application/json; charset=utf-8'] },
    });
  });

  it('fails the invocation and the stream when the body fails', async () => {
    const app = createApp({ onError: () => undefined }).get('/users/:id', (ctx) =>
      ctx.send(
        (async function* () {
          yield 'part';
          throw new Error('The source failed.');
        })(),
      ),
    );
    const stream = new ResponseStream();
    const closed = once(stream, 'close').catch(() => undefined);
    await expect(createStreamingHandler(app)(functionUrlEvent, stream, context)).rejects.toThrow();
    await closed;
    expect(stream.writableFinished).toBe(false);
  });

  it('aborts ctx.signal when the runtime closes the stream', async () => {
    const aborted = Promise.withResolvers<void>();
    const app = createApp({ onError: () => undefined }).get('/users/:id', (ctx) => {
      ctx.signal.addEventListener('abort', () => aborted.resolve());
      return ctx.send(
        (async function* () {
          for (;;) {
            yield 'part';
            await new Promise((resolve) => setImmediate(resolve));
          }
        })(),
      );
    });
    const stream = new ResponseStream();
    stream.onWrite = (chunk) => chunk !== '' && stream.destroy(new Error('Gone.'));
    await expect(createStreamingHandler(app)(functionUrlEvent, stream, context)).rejects.toThrow(
      'Gone.',
    );
    await aborted.promise;
  });

  it.each([
    ['outside of the runtime of Lambda', undefined],
    ['where only the AWS SDK has set the global', {}],
  ])('fails %s', (_where, awslambda) => {
    vi.stubGlobal('awslambda', awslambda);
    expect(() => createStreamingHandler(createApp())).toThrow(
      new SetupError(
        'LAMBDA_STREAMING_UNAVAILABLE',
        "createStreamingHandler() needs the global 'awslambda' of Lambda's Node.js runtime. Call listen() outside of Lambda, and use createLambdaHandler() in a custom runtime.",
      ),
    );
  });
});
