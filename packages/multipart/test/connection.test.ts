import { once } from 'node:events';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createApp, createRouter, errorHandler, json, type Middleware } from '@fairlead/core';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import { describe, expect, it } from 'vitest';
import { type FilePart, parts } from '../src/index.js';
import { field, file, form, HEADERS } from './support/form.js';
import { create, describeAll, describePart, head, limits, MEGABYTE } from './support/parts.js';
import { serve } from './support/serve.js';

describe('the connection', () => {
  const large = form(file('a', 'a', MEGABYTE.repeat(4)), field('b'));
  const small = form(field('c', 'd'));

  it.each<[string, string, Middleware]>([
    [
      'a limit is exceeded',
      '413',
      async (ctx) => void (await parts(ctx, { limits: { ...limits, fileSize: 9 } }).next()),
    ],
    [
      'a limit is exceeded while a file is read',
      '413',
      async (ctx) => {
        for await (const part of parts(ctx, { limits: { ...limits, fileSize: 1e6 } }))
          await describePart(part);
      },
    ],
    [
      'Content-Length exceeds a limit',
      '413',
      async (ctx) => void (await parts(ctx, { limits: { totalSize: 1e6 } }).next()),
    ],
    [
      'the loop is left',
      '200',
      async (ctx) => {
        for await (const part of parts(ctx, { limits })) {
          ctx.json(part.name);
          break;
        }
        await once(ctx.req, 'end');
      },
    ],
    [
      'the handler throws in the loop',
      '500',
      async (ctx) => {
        for await (const _ of parts(ctx, { limits })) throw new Error('The disk is full.');
      },
    ],
    [
      'the handler responds and abandons the iterator',
      '200',
      async (ctx) => {
        const { value } = await parts(ctx, { limits }).next();
        ctx.json(value?.name);
      },
    ],
    ['the handler ignores the form', '200', (ctx) => ctx.json(null)],
  ])('serves the next request when %s', async (_, status, handler) => {
    const router = createRouter().post('/', handler).post('/next', describeAll);
    const app = createApp()
      .use(errorHandler({ onError: () => undefined }))
      .route('/', router);
    const { port } = await serve(app);
    const { socket, responses } = connectRaw(port);
    socket.write(head(large.length) + large);
    socket.write(head(small.length).replace('/', '/next') + small);
    const [first, second] = await responses(2);
    expect(first).toContain(`HTTP/1.1 ${status} `);
    expect(second).toContain('[{"kind":"field","name":"c","value":"d"}]');
  });

  it('serves a JSON body after a malformed form', async () => {
    const router = createRouter()
      .post('/', describeAll)
      .post('/next', json(), (ctx) => ctx.json(ctx.body));
    const app = createApp().use(errorHandler()).route('/', router);
    const { port } = await serve(app);
    const { socket, responses } = connectRaw(port);
    socket.write(`${head(3)}abc`);
    const next = head(2).replace('/', '/next').replace(HEADERS['Content-Type'], 'application/json');
    socket.write(`${next}{}`);
    const [first, second] = await responses(2);
    expect(first).toContain('MALFORMED_MULTIPART');
    expect(second).toMatch(/\r\n\r\n\{\}$/);
  });
});

describe('a client that disconnects', () => {
  const begun = file('a', 'a', MEGABYTE).slice(0, -100);

  it('fails the stream and the loop with a 400, and destroys the target of the stream', async () => {
    const started = Promise.withResolvers<void>();
    const failed = Promise.withResolvers<readonly unknown[]>();
    const target = new Writable({
      write: (_, __, done) => {
        started.resolve();
        done();
      },
    });
    const app = create(async (ctx) => {
      const reader = parts(ctx, { limits });
      const { value } = await reader.next();
      const [stream] = await Promise.allSettled([pipeline((value as FilePart).stream, target)]);
      const [loop] = await Promise.allSettled([reader.next()]);
      failed.resolve([stream, loop]);
    });
    const { port } = await serve(app);
    const { socket } = connectRaw(port);
    socket.write(head(begun.length + 1_000) + begun);
    await started.promise;
    socket.destroy();
    const aborted = { status: 'rejected', reason: { status: 400, code: 'BODY_ABORTED' } };
    expect(await failed.promise).toMatchObject([aborted, aborted]);
    expect(target.destroyed).toBe(true);
  });

  it('causes a 400 when the form has not been requested yet', async () => {
    const started = Promise.withResolvers<void>();
    const failed = Promise.withResolvers<unknown>();
    const app = create(async (ctx) => {
      const gone = once(ctx.signal, 'abort');
      started.resolve();
      await gone;
      failed.resolve(
        await parts(ctx, { limits })
          .next()
          .catch((error: unknown) => error),
      );
    });
    const { port } = await serve(app);
    const { socket } = connectRaw(port);
    socket.write(head(1_000) + field('a'));
    await started.promise;
    socket.destroy();
    expect(await failed.promise).toMatchObject({ status: 400, code: 'BODY_ABORTED' });
  });
});
