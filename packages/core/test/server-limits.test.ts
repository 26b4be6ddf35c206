import { describe, expect, it } from 'vitest';
import { createApp, errorHandler, json, type ListenOptions } from '../src/index.js';
import { deferred } from './support/deferred.js';
import { connectRaw, exchange } from './support/raw.js';
import { serve } from './support/serve.js';

/** Sends a text to an echo, and returns all that comes back until the server ends the connection. */
async function ask(text: string, options: ListenOptions = {}): Promise<string> {
  const app = createApp()
    .use(errorHandler(), json())
    .use((ctx) => ctx.json({ path: ctx.path.length, body: ctx.body ?? null }));
  const { port } = await serve(app, options);
  return exchange(port, text);
}

/** The last response of an answer, its body read as JSON. */
function lastProblem(answer: string): unknown {
  return JSON.parse(answer.slice(answer.lastIndexOf('\r\n\r\n') + 4));
}

const HEAD = 'Host: a\r\nConnection: close\r\n';
const JSON_HEAD = `POST / HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\n`;
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

  it.each([
    ['is no HTTP', 'HELLO\r\n\r\n'],
    ['has no Host', 'GET / HTTP/1.1\r\n\r\n'],
    ['has two lengths', `${JSON_HEAD}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
    [
      'has a length and chunks',
      `${JSON_HEAD}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['has a chunk without size', `${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
    ['folds a header', `GET / HTTP/1.1\r\n${HEAD}X: a\r\n b\r\n\r\n`],
    ['has a bare LF', `GET / HTTP/1.1\nHost: a\n\n`],
  ])('that %s is a 400 and ends the connection', async (_, text) => {
    expect(await ask(text)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it.each([
    ['headers', 'GET / HTTP/1.1\r\nHost: a\r\n', { headersTimeout: 60 }],
    ['body', `${JSON_HEAD}Content-Length: 9\r\n\r\n{`, { headersTimeout: 60, requestTimeout: 60 }],
  ])('whose %s never end is a 408', async (_, text, options) => {
    const answer = await ask(text, options);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(lastProblem(answer)).toMatchObject({ detail: 'The request was not complete in time.' });
  });
});

describe('bytes that are no request', () => {
  it('are answered after the request before them', async () => {
    const [begun, go] = [deferred(), deferred()];
    const app = createApp().use(async (ctx) => {
      begun.resolve();
      await go.promise;
      ctx.send('first');
    });
    const { port } = await serve(app);
    const { socket, ended } = connectRaw(port);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n');
    await begun.promise;
    go.resolve();
    const answer = await ended();
    expect(answer).toMatch(/^HTTP\/1\.1 200 .*\r\n\r\nfirstHTTP\/1\.1 400 /s);
  });
});
