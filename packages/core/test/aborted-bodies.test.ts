import { gzipSync } from 'node:zlib';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import { expect, it } from 'vitest';
import { createApp, json } from '../src/index.js';
import { serve } from './support/serve.js';

it('an encoded body rejects with BODY_ABORTED when the client disconnects early', async () => {
  const { promise: rejected, resolve } = Promise.withResolvers<unknown>();
  const app = createApp()
    .use((_ctx, next) => (next() as Promise<void>).catch(resolve))
    .use(json());
  const { port } = await serve(app);
  const body = gzipSync('{"name":"Ada"}');
  const head = [
    'POST / HTTP/1.1',
    'Host: a',
    'Content-Type: application/json',
    'Content-Encoding: gzip',
    `Content-Length: ${body.length}`,
  ].join('\r\n');
  const { socket } = connectRaw(port);
  socket.write(`${head}\r\n\r\n`);
  socket.write(body.subarray(0, 10), () => socket.destroy());
  expect(await rejected).toMatchObject({ status: 400, code: 'BODY_ABORTED' });
});
