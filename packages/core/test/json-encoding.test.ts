import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import { describe, expect, it } from 'vitest';
import { createApp, errorHandler, json } from '../src/index.js';
import { sender } from './support/send.js';
import { serve } from './support/serve.js';

const echo = () =>
  createApp()
    .use(errorHandler(), json({ limit: 1000 }))
    .use((ctx) => ctx.json({ body: ctx.body ?? null }));

async function post(encoding: string, body: Uint8Array | readonly Uint8Array[]) {
  const send = await sender(echo());
  const headers = { 'Content-Type': 'application/json', 'Content-Encoding': encoding };
  return send('POST', '/', { headers, body });
}

describe.each([
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['GZIP', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('a body in %s', (encoding, compress) => {
  it('is decoded', async () => {
    const reply = await post(encoding, compress('{"name":"Ada"}'));
    expect(reply.json()).toEqual({ body: { name: 'Ada' } });
  });

  it('is decoded from chunks of one byte', async () => {
    const bytes = compress('{"name":"Ada"}');
    const reply = await post(
      encoding,
      Array.from(bytes, (byte) => Uint8Array.of(byte)),
    );
    expect(reply.json()).toEqual({ body: { name: 'Ada' } });
  });

  it('is decoded up to the limit', async () => {
    const text = JSON.stringify('x'.repeat(998));
    const reply = await post(encoding, compress(text));
    expect(reply.status).toBe(200);
  });

  it('is a 413 when it grows past the limit', async () => {
    const reply = await post(encoding, compress(JSON.stringify('x'.repeat(10_000_000))));
    expect(reply.status).toBe(413);
    expect(reply.json()).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });

  it('is a 400 when it is truncated', async () => {
    const reply = await post(encoding, compress('{"name":"Ada"}').subarray(0, -4));
    expect(reply.status).toBe(400);
  });

  it('is a 400 when it has another encoding', async () => {
    const reply = await post(encoding, Buffer.from('{"name":"Ada"}'));
    expect(reply.status).toBe(400);
    expect(reply.json()).toMatchObject({
      code: 'MALFORMED_CONTENT_ENCODING',
      detail: 'The body does not match its content encoding.',
    });
  });

  it('leaves the connection usable when it is rejected', async () => {
    const { port } = await serve(echo());
    const { socket, responses } = connectRaw(port);
    const bomb = compress(JSON.stringify('x'.repeat(1_000_000)));
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
    socket.write(`${head}Content-Encoding: ${encoding}\r\nContent-Length: ${bomb.length}\r\n\r\n`);
    socket.write(bomb);
    socket.write(`${head}Content-Length: 2\r\n\r\n{}`);
    const [first, second] = await responses(2);
    expect(first).toMatch(/^HTTP\/1\.1 413 /);
    expect(second).toMatch(/^HTTP\/1\.1 200 /);
  });
});

it('the encoding identity is ignored', async () => {
  const reply = await post('identity', Buffer.from('{"a":1}'));
  expect(reply.json()).toEqual({ body: { a: 1 } });
});

it.each(['zstd', 'compress', 'gzip, br'])('the encoding %s is a 415', async (encoding) => {
  const reply = await post(encoding, Buffer.from('{}'));
  expect(reply.status).toBe(415);
  expect(reply.headers['accept-encoding']).toBe('gzip, deflate, br');
  expect(reply.json()).toMatchObject({
    code: 'UNSUPPORTED_CONTENT_ENCODING',
    detail: `The content encoding '${encoding}' is not supported. Send the body as gzip, deflate or br, or unencoded.`,
  });
});
