import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createApp, errorHandler, type Middleware } from '@fairlead/core';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type FileFilter,
  type MultipartOptions,
  multipart,
  type StoredFile,
} from '../src/index.js';
import { field, file, form, HEADERS, post, statusAndCode } from './support/form.js';
import { head, MEGABYTE } from './support/parts.js';
import { serve } from './support/serve.js';

let tempFiles: string;
beforeEach(async () => {
  tempFiles = await mkdtemp(join(tmpdir(), 'fairlead-test-'));
});
afterEach(() => rm(tempFiles, { recursive: true, force: true }));

const listFiles = () => readdir(tempFiles, { recursive: true });

/** Creates an application that stores files below the directory of the test. */
const create = (handler: Middleware, options: MultipartOptions = {}) =>
  createApp().use(
    errorHandler({ onError: () => undefined }),
    multipart({ tempFiles, ...options }),
    handler,
  );

describe('temporary files', () => {
  it('have the content, the size and what the client claims', async () => {
    const app = create(async (ctx) => {
      const { a, b } = ctx.body as { a: StoredFile; b: string };
      const text = await readFile(a.path, 'utf8');
      const { fileName, mediaType, size } = a;
      ctx.json({ text, fileName, mediaType, size, b, type: a.headers['content-type'] ?? 'none' });
    });
    const response = await post(app, form(file('a', '../x.txt', 'naïve'), field('b', '1')));
    expect(await response.json()).toEqual({
      text: 'naïve',
      fileName: 'x.txt',
      mediaType: 'application/octet-stream',
      size: 6,
      b: '1',
      type: 'none',
    });
  });

  it('are JSON without the path, and with a digest for an Idempotency-Key', async () => {
    const app = create(async (ctx) => ctx.json(ctx.body));
    const send = async (content: string, headers = {}) => {
      const body = form(file('a', 'a.txt', content));
      const response = await post(app, body, { ...HEADERS, ...headers });
      return (await response.json()) as unknown;
    };
    const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');
    const head = {
      fileName: 'a.txt',
      mediaType: 'application/octet-stream',
      headers: expect.any(Object),
      size: 6,
    };
    expect(await send('naïve')).toEqual({ a: head });
    for (const content of ['naïve', 'naive!'])
      expect(await send(content, { 'Idempotency-Key': 'k' })).toEqual({
        a: { ...head, sha256: sha256(content) },
      });
  });

  it('are private, and their paths do not depend on the client', async () => {
    const app = create(async (ctx) => {
      const { a } = ctx.body as { a: readonly StoredFile[] };
      const modes = await Promise.all(
        a
          .flatMap(({ path }) => [stat(path), stat(dirname(path))])
          .map(async (one) => (await one).mode),
      );
      ctx.json({
        paths: a.map(({ path }) => path.slice(tempFiles.length)),
        modes: modes.map((mode) => (mode & 0o777).toString(8)),
      });
    });
    const body = form(file('a', '../../etc/passwd', '1'), file('a', 'con', '2'));
    const { paths, modes } = (await (await post(app, body)).json()) as Record<string, string[]>;
    expect(paths?.map((path) => path.replace(/upload-\w+/, 'upload-x'))).toEqual([
      '/fairlead-upload-x/0',
      '/fairlead-upload-x/1',
    ]);
    expect(modes).toEqual(['600', '700', '600', '700']);
  });

  it('are in the temporary directory of the system with true', async () => {
    const app = create((ctx) => ctx.json((ctx.body as { a: StoredFile }).a.path), {
      tempFiles: true,
    });
    const path = (await (await post(app, form(file('a', 'b')))).json()) as string;
    expect(path.startsWith(join(tmpdir(), 'fairlead-upload-'))).toBe(true);
    await expect.poll(() => stat(dirname(path)).catch(() => 'gone')).toBe('gone');
  });

  it('can be kept by renaming them', async () => {
    const kept = join(tempFiles, 'kept');
    const app = create(async (ctx) => {
      await rename((ctx.body as { a: StoredFile }).a.path, kept);
      ctx.json(null);
    });
    expect((await post(app, form(file('a', 'b', 'text')))).status).toBe(200);
    await expect.poll(listFiles).toEqual(['kept']);
    expect(await readFile(kept, 'utf8')).toBe('text');
  });

  it('create no folder for a form without files', async () => {
    const app = create(async (ctx) => ctx.json(await listFiles()));
    expect(await (await post(app, form(field('a')))).json()).toEqual([]);
  });
});

describe('temporary files are removed', () => {
  const body = form(file('a', 'a', 'x'.repeat(200_000)), file('b', 'b', 'y'));

  it.each<[string, number, Middleware, MultipartOptions?]>([
    ['the response', 200, (ctx) => ctx.json(null)],
    [
      'a response without content',
      204,
      (ctx) => {
        ctx.status = 204;
      },
    ],
    [
      'an error of the handler',
      500,
      () => {
        throw new Error('Crashed.');
      },
    ],
    ['a rejection', 500, () => Promise.reject(new Error('Crashed.'))],
    ['a limit', 413, (ctx) => ctx.json(null), { limits: { fileSize: 100_000 } }],
    ['a limit of a later file', 413, (ctx) => ctx.json(null), { rules: { b: { maxSize: 0 } } }],
    ['a rule', 400, (ctx) => ctx.json(null), { rules: { c: { required: true } } }],
    ['a filter', 400, (ctx) => ctx.json(null), { filter: ({ name }) => name === 'a' }],
  ])('after %s', async (_, status, handler, options) => {
    let during: readonly string[] | undefined;
    const app = create(async (ctx, next) => {
      during = await listFiles();
      return handler(ctx, next);
    }, options);
    const { url } = await serve(app);
    const response = await fetch(url, { method: 'POST', headers: HEADERS, body });
    expect(response.status).toBe(status);
    expect(during?.length ?? 3).toBe(3);
    await expect.poll(listFiles).toEqual([]);
  });

  it('after a truncated form', async () => {
    const response = await post(
      create((ctx) => ctx.json(null)),
      body.slice(0, -10),
    );
    expect(await statusAndCode(response)).toEqual([400, 'MALFORMED_MULTIPART']);
    await expect.poll(listFiles).toEqual([]);
  });

  it('when the client disconnects during the upload', async () => {
    const { port } = await serve(create((ctx) => ctx.json(null)));
    const begun = file('a', 'a', MEGABYTE);
    const { socket } = connectRaw(port);
    socket.write(head(begun.length * 2) + begun.slice(0, -100));
    await expect.poll(async () => (await listFiles()).length).toBe(2);
    socket.destroy();
    await expect.poll(listFiles).toEqual([]);
  });

  it('when the client disconnects before the first file is written', async () => {
    const started = Promise.withResolvers<void>();
    const settled = Promise.withResolvers<void>();
    const filter: FileFilter = async (_, ctx) => {
      const closed = once(ctx.res, 'close');
      started.resolve();
      await closed;
      return true;
    };
    const app = createApp().use(
      errorHandler(),
      (_, next) => Promise.resolve(next()).finally(settled.resolve),
      multipart({ tempFiles, filter }),
    );
    const { port } = await serve(app);
    const { socket } = connectRaw(port);
    socket.write(head(body.length + 1) + body);
    await started.promise;
    socket.destroy();
    await settled.promise;
    await expect.poll(listFiles).toEqual([]);
  });

  it('when the client disconnects while the handler runs', async () => {
    const started = Promise.withResolvers<void>();
    const { port } = await serve(
      create(async (ctx) => {
        const gone = once(ctx.signal, 'abort');
        started.resolve();
        await gone;
      }),
    );
    const { socket } = connectRaw(port);
    socket.write(head(body.length) + body);
    await started.promise;
    expect(await listFiles()).toHaveLength(3);
    socket.destroy();
    await expect.poll(listFiles).toEqual([]);
  });

  it('after many requests at once', async () => {
    const { url } = await serve(create((ctx) => ctx.json(null)));
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => fetch(url, { method: 'POST', headers: HEADERS, body })),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
    await expect.poll(listFiles).toEqual([]);
  });
});
