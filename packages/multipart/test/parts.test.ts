import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { createApp, errorHandler } from '@fairlead/core';
import { cases } from '@fairlead/test-support/properties';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FilePart, parts } from '../src/index.js';
import { field, file, form, HEADERS, part, post, statusAndCode } from './support/form.js';
import { create, describeAll, head, limits, MEGABYTE } from './support/parts.js';
import { serve } from './support/serve.js';

/** Waits for a number of turns of the event loop. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await setImmediate();
}

describe('parts()', () => {
  it('yields fields and files in order', async () => {
    const body = form(field('a', '1'), file('b', 'b.txt', '2'), field('c'), file('d', '', ''));
    const mediaType = 'application/octet-stream';
    expect(await (await post(create(describeAll), body)).json()).toEqual([
      { kind: 'field', name: 'a', value: '1' },
      { kind: 'file', name: 'b', fileName: 'b.txt', mediaType, text: '2' },
      { kind: 'field', name: 'c', value: '' },
      { kind: 'file', name: 'd', fileName: '', mediaType, text: '' },
    ]);
  });

  it('yields the media types and headers of parts', async () => {
    const app = create(async (ctx) => {
      const described: unknown[] = [];
      for await (const { kind, headers, ...rest } of parts(ctx)) {
        const { mediaType } = rest as FilePart;
        described.push([kind, mediaType, headers['x-part'], Object.getPrototypeOf(headers)]);
      }
      ctx.json(described);
    });
    const disposition = 'Content-Disposition: form-data; name=a';
    const body = form(
      part([disposition, 'Content-Type: application/json', 'X-Part: 1'], '{}'),
      part([disposition]),
      part([`${disposition}; filename=b`, 'Content-Type:', 'x-part: 2']),
    );
    expect(await (await post(app, body)).json()).toEqual([
      ['field', 'application/json', '1', null],
      ['field', 'text/plain', null, null],
      ['file', 'application/octet-stream', '2', null],
    ]);
  });

  it('yields the same parts regardless of how the body is split into chunks', async () => {
    const content = fc.stringMatching(/^[\r\n-edg]{0,20}$/);
    const anyPart = fc.oneof(
      fc.tuple(fc.constant('a'), content).map(([name, text]) => field(name, text)),
      fc.tuple(fc.constant('a'), content).map(([name, text]) => file(name, 'b', text)),
    );
    const { url } = await serve(create(describeAll));
    const send = async (body: NonNullable<RequestInit['body']>) =>
      (await fetch(url, { method: 'POST', headers: HEADERS, body, duplex: 'half' })).text();
    await fc.assert(
      fc.asyncProperty(fc.array(anyPart), fc.array(fc.nat(200)), async (all, cuts) => {
        const body = form(...all);
        const edges = [0, ...cuts.filter((cut) => cut < body.length), body.length];
        const sorted = edges.toSorted((one, other) => one - other);
        const chunks = sorted.slice(1).map((end, index) => body.slice(sorted[index], end));
        const stream = Readable.from(chunks.filter((chunk) => chunk !== ''));
        expect(await send(stream)).toBe(await send(body));
      }),
      { numRuns: cases(20) },
    );
  });

  it('hands on what has arrived of a file to a slow reader, in chunks as large as those of the request', async () => {
    const counts = { request: 0, file: 0 };
    const app = create(async (ctx) => {
      const reader = parts(ctx, { limits });
      const { stream } = (await reader.next()).value as FilePart;
      ctx.req.on('data', () => {
        counts.request += 1;
      });
      const slow = new Writable({
        write(_chunk, _encoding, done) {
          counts.file += 1;
          setImmediate().then(() => done(), done);
        },
      });
      await pipeline(stream, slow);
      ctx.status = 204;
    });
    const { url } = await serve(app);
    const body = form(file('a', 'b', MEGABYTE.repeat(4)));
    expect((await fetch(url, { method: 'POST', headers: HEADERS, body })).status).toBe(204);
    // Less than one more chunk for each of the request: the parser would make sixteen of each.
    expect(counts.file).toBeLessThan(2 * counts.request + 4);
  });

  it('buffers little of a file that is read more slowly than it arrives', async () => {
    let buffered = 0;
    const app = create(async (ctx) => {
      const reader = parts(ctx, { limits });
      const { stream } = (await reader.next()).value as FilePart;
      ctx.req.on('data', () => {
        buffered = Math.max(buffered, stream.readableLength);
      });
      let size = 0;
      for await (const chunk of stream) {
        size += chunk.length;
        await turns(5);
      }
      ctx.json(size);
    });
    const { url } = await serve(app);
    const body = form(file('a', 'a', MEGABYTE.repeat(16)));
    const response = await fetch(url, { method: 'POST', headers: HEADERS, body });
    expect(await response.json()).toBe(16 * 1024 ** 2);
    expect(buffered).toBeLessThan(256 * 1024);
  });

  it('buffers few parts when they are read more slowly than they arrive', async () => {
    const one = field('a', 'b');
    let read = 0;
    let buffered = 0;
    const app = create(async (ctx) => {
      for await (const _ of parts(ctx, { limits: { fields: Infinity, parts: Infinity } })) {
        read += 1;
        buffered = Math.max(buffered, ctx.req.socket.bytesRead - read * one.length);
        await turns(2);
      }
      ctx.json(read);
    });
    const { url } = await serve(app);
    const body = form(one.repeat(20_000));
    const response = await fetch(url, { method: 'POST', headers: HEADERS, body });
    expect(await response.json()).toBe(20_000);
    expect(buffered).toBeLessThan(256 * 1024);
  });

  it('drops the unread content of a file', async () => {
    const app = create(async (ctx) => {
      const names: string[] = [];
      for await (const part of parts(ctx, { limits })) names.push(part.name);
      ctx.json(names);
    });
    const body = form(file('a', 'a', MEGABYTE), file('b', 'b', MEGABYTE), field('c'));
    expect(await (await post(app, body)).json()).toEqual(['a', 'b', 'c']);
  });

  it('drops the rest of a file whose stream was destroyed', async () => {
    const app = create(async (ctx) => {
      const names: string[] = [];
      for await (const part of parts(ctx, { limits })) {
        names.push(part.name);
        await (part as FilePart).stream.iterator().return?.();
      }
      ctx.json(names);
    });
    const body = form(file('a', 'a', MEGABYTE), file('b', 'b', MEGABYTE));
    expect(await (await post(app, body)).json()).toEqual(['a', 'b']);
  });

  it('fails the stream of a file when the next part is requested meanwhile', async () => {
    const app = create(async (ctx) => {
      const reader = parts(ctx, { limits });
      const { value: first } = await reader.next();
      const reading = (first as FilePart).stream.toArray();
      await Promise.all([expect(reading).rejects.toThrow(), reader.next()]);
      ctx.json('done');
    });
    const { url } = await serve(app);
    const body = form(file('a', 'a', MEGABYTE.repeat(4)), field('b'));
    const response = await fetch(url, { method: 'POST', headers: HEADERS, body });
    expect(await response.json()).toBe('done');
  });

  it('rejects another media type', async () => {
    const response = await post(create(describeAll), '{}', { 'Content-Type': 'application/json' });
    expect(response.headers.get('Accept')).toBe('multipart/form-data');
    expect(await statusAndCode(response)).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  it('rejects a request without a body', async () => {
    const response = await create(describeAll).request('/', { method: 'POST', headers: HEADERS });
    expect(await statusAndCode(response)).toEqual([400, 'MALFORMED_MULTIPART']);
  });

  it('rejects a body that has been read', async () => {
    const logged: unknown[] = [];
    const app = createApp().use(
      errorHandler({ onError: (error) => logged.push(error) }),
      async (ctx, next) => {
        await ctx.bodyStream().toArray();
        await next();
      },
      describeAll,
    );
    expect(await statusAndCode(await post(app, form()))).toEqual([500, 'BODY_ALREADY_READ']);
    expect(logged).toEqual([
      expect.objectContaining({ message: expect.stringContaining('POST /') }),
    ]);
  });

  it('throws synchronously for an invalid limit', async () => {
    const app = create((ctx) => {
      expect(() => parts(ctx, { limits: { files: -1 } })).toThrow(/files of .* must be .*: got -1/);
      ctx.json(null);
    });
    expect((await post(app, form())).status).toBe(200);
  });

  it('lets a client that waits for 100 Continue send its body', async () => {
    const { port } = await serve(create(describeAll));
    const { socket, ended } = connectRaw(port);
    const body = form(field('a'));
    socket.write(
      head(body.length).replace('Host', 'Connection: close\r\nExpect: 100-continue\r\nHost'),
    );
    expect(String(await once(socket, 'data'))).toContain('100 Continue');
    socket.write(body);
    expect(await ended()).toContain('200 OK');
  });
});
