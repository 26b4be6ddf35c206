import { connectRaw, exchange } from '@fairlead/test-support/raw-connection';
import { describe, expect, it } from 'vitest';
import { createApp, type ListenOptions } from '../src/index.js';
import { serve } from './support/serve.js';

/** Sends text to an echo application, and returns all bytes until the server closes the connection. */
async function ask(text: string, options: ListenOptions = {}): Promise<string> {
  const app = createApp().use((ctx) => ctx.json(ctx.path.length));
  const { port } = await serve(app, options);
  return exchange(port, text);
}

/** The last response in the bytes, with its body parsed as JSON. */
function lastProblem(response: string): unknown {
  return JSON.parse(response.slice(response.lastIndexOf('\r\n\r\n') + 4));
}

const HEAD = 'Host: a\r\nConnection: close\r\n';
const times = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join('');

describe('a request', () => {
  it.each([
    [
      'target',
      `GET /${'a'.repeat(8192)} HTTP/1.1\r\n${HEAD}\r\n`,
      414,
      'The request target is longer than 8192 bytes.',
    ],
    [
      'list of headers',
      `GET / HTTP/1.1\r\n${HEAD}${times(199, (n) => `X-${n}: 1\r\n`)}\r\n`,
      431,
      'The request has more than 200 headers.',
    ],
    [
      'header',
      `GET / HTTP/1.1\r\n${HEAD}X: ${'a'.repeat(16_384)}\r\n\r\n`,
      431,
      'The request line and headers are too long.',
    ],
  ])('with a %s that is too long is refused with a problem', async (_, text, status, detail) => {
    const response = await ask(text);
    expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(response).toMatch(/^content-type: application\/problem\+json\r$/im);
    expect(response).toMatch(/^connection: close\r$/im);
    expect(lastProblem(response)).toMatchObject({ status, detail, error: detail });
    expect(lastProblem(response)).not.toHaveProperty('instance');
  });

  it.each([
    ['target', `GET /${'a'.repeat(8191)} HTTP/1.1\r\n${HEAD}\r\n`],
    ['list of headers', `GET / HTTP/1.1\r\n${HEAD}${times(198, (n) => `X-${n}: 1\r\n`)}\r\n`],
  ])('with a %s of exactly the limit gets a response', async (_, text) => {
    expect(await ask(text)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each([
    [{ maxTargetSize: 10 }, `GET /${'a'.repeat(10)} HTTP/1.1\r\n${HEAD}\r\n`, 414],
    [{ maxHeaders: 2 }, `GET / HTTP/1.1\r\n${HEAD}X: 1\r\n\r\n`, 431],
    [{ maxHeaderSize: 100 }, `GET / HTTP/1.1\r\n${HEAD}X: ${'a'.repeat(100)}\r\n\r\n`, 431],
  ])('is refused past the limit %j', async (options, text, status) => {
    expect(await ask(text, options)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });
});

describe('invalid bytes', () => {
  it('close the connection when the response to their request has started', async () => {
    const app = createApp().use((ctx) => {
      ctx.takeOver().write('half');
    });
    const { port } = await serve(app);
    const { socket, ended } = connectRaw(port);
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    socket.once('data', () => socket.write('zz\r\n'));
    expect(await ended()).not.toContain('HTTP/1.1 400');
  });
});
