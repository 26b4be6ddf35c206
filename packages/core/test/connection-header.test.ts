import { connectRaw, exchange } from '@fairlead/test-support/raw-connection';
import { describe, expect, it } from 'vitest';
import { createApp, errorHandler, type Handler, HttpError } from '../src/index.js';
import { serve } from './support/serve.js';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n';

const byContext =
  (value: string | string[]): Handler =>
  (ctx) => {
    ctx.set('Connection', value);
    ctx.send('only');
  };

const byNode =
  (value: string): Handler =>
  (ctx) => {
    ctx.takeOver();
    ctx.res.setHeader('Connection', value);
    ctx.res.end('only');
  };

const byResponse =
  (value: string): Handler =>
  () =>
    new Response('only', { headers: { Connection: value } });

describe('a connection ends after a request with Connection: close, and nothing after it runs', () => {
  it.each([
    ['ctx.set()', byContext('keep-alive')],
    ['another option', byContext('X-Hop')],
    ['several options', byContext(['Keep-Alive', 'X-Hop'])],
    ['the response of Node.js', byNode('keep-alive')],
    ['a web Response', byResponse('keep-alive')],
    [
      'a web Response with a stream',
      () => new Response(new Blob(['only']), { headers: { Connection: 'X-Hop' } }),
    ],
    [
      'an error',
      () => {
        throw new HttpError(400, 'only', { headers: { Connection: 'keep-alive' } });
      },
    ],
  ] as const)('even if %s says something else', async (_, handler) => {
    let requests = 0;
    const app = createApp()
      .use((_ctx, next) => {
        requests += 1;
        return next();
      })
      .get('/', handler as Handler);
    const { port } = await serve(app);
    const alone = await exchange(port, `${GET}Connection: close\r\n\r\n`);
    expect(alone).toContain('only');
    const followed = await exchange(port, `${GET}Connection: close\r\n\r\n${GET}\r\n${GET}\r\n`);
    expect(followed.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(requests).toBe(2);
  });

  it('and later bytes are not left without an end', async () => {
    const { port } = await serve(createApp().get('/', byNode('keep-alive')));
    const { socket, ended } = connectRaw(port);
    socket.write(`${GET}Connection: close\r\n\r\n`);
    socket.once('data', () => socket.write(`${GET}\r\n`));
    expect((await ended()).match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });
});

it('a response names the end of its connection besides its other options', async () => {
  const { port } = await serve(createApp().get('/', byContext('Keep-Alive, Upgrade')));
  const text = await exchange(port, `${GET}Connection: close\r\n\r\n`);
  expect(text.match(/^(?:connection|keep-alive): .*$/gim)).toEqual(['Connection: close, upgrade']);
});

describe('the connection ends after a response with Connection: close', () => {
  it.each([
    ['ctx.set()', byContext('close')],
    ['the response of Node.js', byNode('close')],
    ['options of the response of Node.js', byNode('X-Hop, close')],
    [
      'an error',
      () => {
        throw new HttpError(400, 'only', { headers: { Connection: 'close' } });
      },
    ],
  ] as const)('of %s', async (_, handler) => {
    const { port } = await serve(createApp().get('/', handler as Handler));
    expect(await exchange(port, `${GET}\r\n${GET}\r\n`)).toMatch(
      /^(?:(?!HTTP).)*HTTP(?:(?!HTTP).)*only(?:(?!HTTP).)*$/s,
    );
  });
});

describe('a web Response', () => {
  const HOP_BY_HOP = {
    Connection: 'close, X-Hop, Set-Cookie',
    'Keep-Alive': 'timeout=999',
    'Proxy-Authenticate': 'Basic',
    'Proxy-Connection': 'close',
    TE: 'trailers',
    Trailer: 'X-End',
    'Transfer-Encoding': 'chunked',
    Upgrade: 'h2c',
    'Content-Length': '5',
    'X-Hop': '1',
    'Set-Cookie': 'hop=1',
  };

  it('says nothing about the connection', async () => {
    const app = createApp().get('/', (ctx) => {
      ctx.set('Set-Cookie', 'own=1');
      return new Response('again', { headers: { ...HOP_BY_HOP, 'X-End': '2' } });
    });
    const { port } = await serve(app, { keepAliveTimeout: 5_000 });
    const { socket, responses } = connectRaw(port);
    socket.write(`${GET}\r\n`);
    await responses(1);
    socket.write(`${GET}\r\n`);
    const [, second = ''] = await responses(2);
    const lines = second
      .split('\r\n')
      .filter((line) => !/^(?:HTTP|date|content|again)/i.test(line));
    expect(lines.sort()).toEqual([
      '',
      'Connection: keep-alive',
      'Keep-Alive: timeout=5',
      'Set-Cookie: own=1',
      'x-end: 2',
    ]);
  });

  it('of another application says nothing about the connection in memory', async () => {
    const inner = createApp().get('/', byContext('close'));
    const app = createApp().get('/', () => inner.request('/'));
    const { port } = await serve(app);
    const { socket, responses } = connectRaw(port);
    socket.write(`${GET}\r\n${GET}\r\n`);
    expect(await responses(2)).toHaveLength(2);
  });

  it.each([
    ['no body', null, 0],
    ['text', 'again', 5],
  ])('with %s has its own Content-Length', async (_, body, length) => {
    const headers = { 'Transfer-Encoding': 'chunked', 'Content-Length': String(length) };
    const app = createApp().get('/', () => new Response(body, { headers }));
    const { port } = await serve(app);
    const { socket, responses } = connectRaw(port);
    socket.write(`${GET}\r\n${GET}\r\n`);
    for (const reply of await responses(2)) {
      expect(reply.match(/^(?:content-length|transfer-encoding): .*$/gim)).toEqual([
        `${length === 0 ? 'C' : 'c'}ontent-${length === 0 ? 'L' : 'l'}ength: ${length}`,
      ]);
    }
  });

  it.each([3, 9])(
    'whose Content-Length is wrong never shifts the next response: %i',
    async (length) => {
      const app = createApp()
        .use(errorHandler({ onError: () => undefined }))
        .get('/', () => new Response('again', { headers: { 'Content-Length': String(length) } }));
      const { port } = await serve(app);
      const received = await exchange(port, `${GET}\r\n${GET}Connection: close\r\n\r\n`);
      expect(received.match(/HTTP\/1\.1 .*/g)).toEqual(
        new Array(2).fill('HTTP/1.1 500 Internal Server Error'),
      );
      expect(received).not.toContain('again');
    },
  );
});
