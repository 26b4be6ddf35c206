import { exchange } from '@fairlead/test-support/raw-connection';
import { describe, expect, it } from 'vitest';
import { createApp, text } from '../src/index.js';
import { serve } from './support/serve.js';

describe('a Content-Length that a handler sets', () => {
  it.each([204, 304])('is not sent with %i', async (status) => {
    const app = createApp().use((ctx) => {
      ctx.status = status;
      ctx.set('Content-Length', 5);
    });
    const { port } = await serve(app);
    const text = await exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(text).not.toMatch(/^content-length:/im);
    expect(text).toMatch(/\r\n\r\n$/);
  });

  it('is 0 with 205, even if the handler set another', async () => {
    const app = createApp().use((ctx) => {
      ctx.status = 205;
      ctx.set('Content-Length', 5);
    });
    const { port } = await serve(app);
    const text = await exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(text.match(/^content-length: .*$/gim)).toEqual(['Content-Length: 0']);
  });
});

it.each(['close', 'Close', 'X-Hop, close', 'close ,X-Hop'])(
  'no request runs after a response with Connection: %s',
  async (connection) => {
    let requests = 0;
    const app = createApp().use((ctx) => {
      requests += 1;
      ctx.set('Connection', connection);
      ctx.send('only');
    });
    const { port } = await serve(app);
    const received = await exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3));
    expect(received.match(/^HTTP\/1\.1 /gm)).toHaveLength(1);
    expect(received).toMatch(/\r\n\r\nonly$/);
    expect(requests).toBe(1);
  },
);

it('a request of HTTP/1.0 needs no Host header', async () => {
  const { port } = await serve(createApp().use((ctx) => ctx.send('hello')));
  const text = await exchange(port, 'GET / HTTP/1.0\r\n\r\n');
  expect(text).toMatch(/^HTTP\/1\.1 200 /);
  expect(text).toMatch(/\r\n\r\nhello$/);
});

it('chunk extensions that are too long are refused with 413', async () => {
  const { port } = await serve(createApp().use(text(), (ctx) => ctx.send('read')));
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\n';
  const chunk = `1;${'x'.repeat(20_000)}\r\na\r\n0\r\n\r\n`;
  const response = await exchange(port, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`);
  expect(response).toMatch(/^HTTP\/1\.1 413 /);
});
