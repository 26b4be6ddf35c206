import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { connectRaw, exchange } from '@fairlead/test-support/raw-connection';
import { describe, expect, it } from 'vitest';
import { createApp, errorHandler, json, raw, text, urlencoded } from '../src/index.js';
import { openDescriptors } from './support/resources.js';
import { serve } from './support/serve.js';

const ALIVE = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

/** A service that stores uploads. */
function createStore() {
  const stored: unknown[] = [];
  const app = createApp()
    .use(errorHandler(), json(), urlencoded(), text(), raw())
    .use((ctx) => {
      if (ctx.body !== undefined) stored.push(ctx.body);
      ctx.json(stored.length);
    });
  return { app, stored };
}

describe('truncated uploads', () => {
  const body = Buffer.from(JSON.stringify({ text: 'x'.repeat(5_000) }));
  const packed = gzipSync(body);
  const chunk = (bytes: Buffer) =>
    Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
  const head = (type: string, ...lines: string[]) =>
    Buffer.from(
      ['POST / HTTP/1.1', 'Host: a', `Content-Type: ${type}`, ...lines, '', ''].join('\r\n'),
    );
  const whole = `Content-Length: ${body.length}`;
  const chunked = 'Transfer-Encoding: chunked';
  const gzip = 'Content-Encoding: gzip';

  /** Every kind of upload, truncated. */
  const uploads = [
    Buffer.concat([head('application/json', whole), body.subarray(0, -1)]),
    Buffer.concat([head('application/json', chunked), chunk(body)]),
    Buffer.concat([head('application/json', chunked), chunk(body).subarray(0, -100)]),
    Buffer.concat([
      head('application/json', gzip, `Content-Length: ${packed.length}`),
      packed.subarray(0, -1),
    ]),
    Buffer.concat([head('application/json', gzip, chunked), chunk(packed).subarray(0, -9)]),
    Buffer.concat([head('text/plain', whole), body.subarray(0, 10)]),
    Buffer.concat([head('application/octet-stream', whole)]),
    Buffer.concat([head('application/x-www-form-urlencoded', chunked), Buffer.from('fff\r\na=1')]),
    Buffer.concat([head('application/json', whole, 'Expect: 100-continue'), body.subarray(0, 5)]),
    Buffer.concat([head('application/json', whole), body]).subarray(0, 40),
  ];

  /** Sends an upload and disconnects: with FIN, with RST, or after the first response bytes. */
  async function abort(port: number, upload: Buffer, index: number): Promise<void> {
    const socket = connect(port, '127.0.0.1');
    const closed = once(socket, 'close').catch(() => undefined);
    socket.on('error', () => undefined).resume();
    await new Promise<void>((resolve) => socket.write(upload, () => resolve()));
    [() => socket.end(), () => socket.resetAndDestroy(), () => socket.destroy()][index % 3]?.();
    await closed;
  }

  it('leak nothing, even a thousand of them', async () => {
    const { app, stored } = createStore();
    const { port } = await serve(app);
    await exchange(port, ALIVE);
    const descriptors = openDescriptors();
    for (let batch = 0; batch < 20; batch += 1) {
      await Promise.all(
        Array.from({ length: 50 }, (_, index) => {
          const number = batch * 50 + index;
          return abort(port, uploads[number % uploads.length] ?? Buffer.alloc(0), number);
        }),
      );
    }
    expect(await exchange(port, ALIVE)).toMatch(/^HTTP\/1\.1 200 .*\r\n\r\n0$/s);
    await expect.poll(openDescriptors).toBeLessThanOrEqual(descriptors);
    expect(stored).toEqual([]);
  });
});

describe('a slow client', () => {
  const limits = { headersTimeout: 150, requestTimeout: 300, keepAliveTimeout: 100 };

  it.each([
    ['sends nothing', ''],
    ['sends half a request line', 'GE'],
    ['sends headers without an end', 'GET / HTTP/1.1\r\nHost: a\r\nA: '],
    [
      'sends half a body',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/a\r\nContent-Length: 9\r\n\r\na',
    ],
    [
      'sends half a chunk',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/a\r\nTransfer-Encoding: chunked\r\n\r\n9\r\na',
    ],
  ])('gets 408 when it %s', async (_, start) => {
    const { port } = await serve(createStore().app, limits);
    expect(await exchange(port, start)).toMatch(/^HTTP\/1\.1 408 .*\r\nConnection: close\r\n/s);
  });

  it.each([
    ['headers', 'GET / HTTP/1.1\r\nHost: a\r\nA: '],
    [
      'a body',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/a\r\nContent-Length: 9999\r\n\r\n',
    ],
  ])('gets 408 even if it regularly sends a byte of %s', async (_, start) => {
    const { port } = await serve(createStore().app, limits);
    const { socket, ended } = connectRaw(port);
    socket.write(start);
    const drip = setInterval(() => socket.write('a'), 20);
    const response = await ended();
    clearInterval(drip);
    expect(response).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('does not delay others, even a hundred of them', async () => {
    // Long enough for the timely request on a loaded machine.
    const { port } = await serve(createStore().app, {
      headersTimeout: 3_000,
      requestTimeout: 3_000,
    });
    const slow = Array.from({ length: 100 }, () => exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\n'));
    expect(await exchange(port, ALIVE)).toMatch(/^HTTP\/1\.1 200 /);
    const responses = await Promise.all(slow);
    expect(new Set(responses.map((response) => response.slice(0, 12)))).toEqual(
      new Set(['HTTP/1.1 408']),
    );
  });
});
