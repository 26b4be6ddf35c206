import { connectRaw, exchange } from '@fairlead/test-support/raw-connection';
import { describe, expect, it } from 'vitest';
import { createApp, type ListenOptions } from '../src/index.js';
import { serve } from './support/serve.js';

/** Sends a text to an echo, and returns all that comes back until the server ends the connection. */
async function ask(text: string, options: ListenOptions = {}): Promise<string> {
  const app = createApp().use((ctx) => ctx.json(ctx.path.length));
  const { port } = await serve(app, options);
  return exchange(port, text);
}

/** The last response of an answer, its body read as JSON. */
function lastProblem(answer: string): unknown {
  return JSON.parse(answer.slice(answer.lastIndexOf('\r\n\r\n') + 4));
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
  ])('with too long a %s is refused with a problem', async (_, text, status, detail) => {
    const answer = await ask(text);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(/^content-type: application\/problem\+json\r$/im);
    expect(answer).toMatch(/^connection: close\r$/im);
    expect(lastProblem(answer)).toMatchObject({ status, detail, error: detail });
    expect(lastProblem(answer)).not.toHaveProperty('instance');
  });

  it.each([
    ['target', `GET /${'a'.repeat(8191)} HTTP/1.1\r\n${HEAD}\r\n`],
    ['list of headers', `GET / HTTP/1.1\r\n${HEAD}${times(198, (n) => `X-${n}: 1\r\n`)}\r\n`],
  ])('with a %s of exactly the limit is answered', async (_, text) => {
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

describe('bytes that are no request', () => {
  it('end the connection where the response to their request has begun', async () => {
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
