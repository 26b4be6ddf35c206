import { connect } from 'node:net';
import { connectRaw, exchange } from '@fairlead/test-support/raw-connection';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApp, json, type ListenOptions, listen } from '../src/index.js';
import { completeLimits } from '../src/server/limits.js';

async function serveEcho(limits: ListenOptions = {}): Promise<number> {
  const app = createApp().use(json(), (ctx) =>
    ctx.json({ path: ctx.path, body: ctx.body ?? null }),
  );
  const server = await listen(app, 0, { host: '127.0.0.1', ...limits });
  onTestFinished(() => server.close({ timeout: 0 }));
  return server.port;
}

function statusOf(response: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1]);
}

const OK = 'GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

describe('requests that the server refuses before the application', () => {
  it.each([
    ['bytes that are not a request', 'hello\r\n\r\n', 400, 'RFC 9112 §3'],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n', 400, 'RFC 9112 §3.2'],
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400, 'RFC 9112 §3.2'],
    [
      'a space before the colon',
      'GET / HTTP/1.1\r\nHost: a\r\nA : b\r\n\r\n',
      400,
      'RFC 9112 §5.1',
    ],
    [
      'a transfer coding in HTTP/1.0',
      'POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'RFC 9112 §6.1',
    ],
    ['no version', 'GET /\r\nHost: a\r\n\r\n', 400, 'RFC 9112 §3'],
    ['HTTP/0.9', 'GET / HTTP/0.9\r\nHost: a\r\n\r\n', 400, 'RFC 9112 §2.3'],
    ['HTTP/2.0', 'GET / HTTP/2.0\r\nHost: a\r\n\r\n', 505, 'RFC 9110 §15.6.6'],
    ['HTTP/2.0 without Host', 'GET / HTTP/2.0\r\n\r\n', 505, 'RFC 9110 §15.6.6'],
    ['a version that nobody knows', 'GET / HTTP/4.2\r\nHost: a\r\n\r\n', 400, 'RFC 9112 §2.3'],
    ['a bare LF', 'GET / HTTP/1.1\nHost: a\n\n', 400, 'RFC 9112 §2.2'],
    [
      'both Content-Length and Transfer-Encoding',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'RFC 9112 §6.1',
    ],
    [
      'two Content-Lengths',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcde',
      400,
      'RFC 9112 §6.3',
    ],
    [
      'an unknown transfer coding',
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, zip\r\n\r\n',
      400,
      'RFC 9112 §6.1',
    ],
    [
      'a malformed chunk size',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n',
      400,
      'RFC 9112 §7.1',
    ],
    [
      'headers that are too long',
      `GET / HTTP/1.1\r\nHost: a\r\nA: ${'b'.repeat(17_000)}\r\n\r\n`,
      431,
      'RFC 6585 §5',
    ],
    [
      'a target that is too long',
      `GET /${'a'.repeat(8_200)} HTTP/1.1\r\nHost: a\r\n\r\n`,
      414,
      'RFC 9110 §15.5.15',
    ],
    [
      'too many headers',
      `GET / HTTP/1.1\r\nHost: a\r\n${'A: b\r\n'.repeat(200)}\r\n`,
      431,
      'RFC 6585 §5',
    ],
  ])('responds to %s with a problem and closes the connection', async (_what, text, status) => {
    const response = await exchange(await serveEcho(), text);
    expect(statusOf(response)).toBe(status);
    expect(response).toContain('\r\nConnection: close\r\n');
    expect(response).toContain('\r\nContent-Type: application/problem+json\r\n');
    expect(JSON.parse(response.slice(response.indexOf('\r\n\r\n')))).toMatchObject({ status });
  });

  it.each([
    'a b',
    'exa/mple',
    'user@host',
    'a,b',
    'bad host:80x',
    'a:80x',
    '[a]',
    'a%2',
    ':80',
    // No URL can have these.
    'a:99999',
    'a%20b',
    '256.256.256.256',
    'b\u00fccher',
  ])("responds to the Host '%s', which is none, with 400", async (host) => {
    const response = await exchange(await serveEcho(), `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expect(statusOf(response)).toBe(400);
    expect(response).toContain('\r\nConnection: close\r\n');
    expect(response).toContain('"detail":"The Host header is not a host. Send that of the URL."');
  });

  it.each([
    '',
    'a_b.example:8080',
    'xn--bcher-kva.example',
    'example.com.:',
    '127.0.0.1:80',
    '[::1]:8080',
    '[::ffff:127.0.0.1]',
    'b%C3%BCcher',
  ])("accepts the Host '%s'", async (host) => {
    const text = `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    expect(statusOf(await exchange(await serveEcho(), text))).toBe(200);
  });

  it('accepts as many headers and as long a target as its options allow', async () => {
    const port = await serveEcho({ maxHeaders: 3, maxTargetSize: 10 });
    const get = (target: string, headers: string) =>
      exchange(port, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}\r\n`);
    expect(statusOf(await get('/123456789', 'A: b\r\n'))).toBe(200);
    expect(statusOf(await get('/1234567890', 'A: b\r\n'))).toBe(414);
    expect(statusOf(await get('/', 'A: b\r\nB: b\r\n'))).toBe(431);
  });

  it('responds to late headers with 408', async () => {
    const port = await serveEcho({ headersTimeout: 100, requestTimeout: 100 });
    expect(statusOf(await exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\n'))).toBe(408);
  });

  it('responds to a late body with 408', async () => {
    const port = await serveEcho({ headersTimeout: 100, requestTimeout: 200 });
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
    expect(statusOf(await exchange(port, `${head}Content-Length: 9\r\n\r\n{"a"`))).toBe(408);
  });

  it('closes a connection that is idle longer than keepAliveTimeout', async () => {
    const connection = connectRaw(await serveEcho({ keepAliveTimeout: 50 }));
    connection.socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(statusOf(await connection.ended())).toBe(200);
  });

  it('responds first to requests before malformed bytes', async () => {
    const app = createApp().use(async (ctx) => {
      await new Promise((resolve) => setImmediate(resolve));
      ctx.send(ctx.path);
    });
    const server = await listen(app, 0, { host: '127.0.0.1' });
    onTestFinished(() => server.close({ timeout: 0 }));
    const text = await exchange(
      server.port,
      'GET /first HTTP/1.1\r\nHost: a\r\n\r\nrubbish\r\n\r\n',
    );
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
    expect(text).toContain('/first');
  });

  it('keeps serving other connections', async () => {
    const port = await serveEcho();
    await exchange(port, 'rubbish\r\n\r\n');
    expect(statusOf(await exchange(port, OK))).toBe(200);
  });
});

describe('pipelined requests', () => {
  it('get responses in order, regardless of duration', async () => {
    const waits: (() => void)[] = [];
    const app = createApp().use(async (ctx) => {
      await new Promise<void>((resolve) => {
        waits.push(resolve);
        if (waits.length === 3) for (const wait of waits.toReversed()) wait();
      });
      ctx.send(ctx.path);
    });
    const server = await listen(app, 0, { host: '127.0.0.1' });
    onTestFinished(() => server.close({ timeout: 0 }));
    const connection = connectRaw(server.port);
    connection.socket.write(
      ['/1', '/2', '/3'].map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''),
    );
    const bodies = (await connection.responses(3)).map((text) => text.split('\r\n\r\n')[1]);
    expect(bodies).toEqual(['/1', '/2', '/3']);
  });
});

describe('many connections', () => {
  it('800 silent ones do not stop the server', async () => {
    const port = await serveEcho();
    const sockets = Array.from({ length: 800 }, () => connect(port, '127.0.0.1'));
    onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
    await Promise.all(
      sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))),
    );
    expect(statusOf(await exchange(port, OK))).toBe(200);
  });
});

it.each(['maxHeaders', 'maxTargetSize', 'requestTimeout'])('rejects NaN for %s', async (name) => {
  await expect(listen(createApp(), 0, { [name]: Number.NaN })).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    message: expect.stringMatching(`^${name} of listen\\(\\) must be a non-negative integer`),
  });
});

describe('maxConnections', () => {
  const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

  it('closes further connections at once, until one of the others closes', async () => {
    const server = await listen(
      createApp().use((ctx) => ctx.send('ok')),
      0,
      { host: '127.0.0.1', maxConnections: 2 },
    );
    onTestFinished(() => server.close({ timeout: 0 }));
    const open = [connectRaw(server.port), connectRaw(server.port)];
    for (const { socket, responses } of open) {
      socket.write(request);
      await responses(1);
    }
    expect(await exchange(server.port, request)).toBe('');
    open[0]?.socket.destroy();
    await expect.poll(() => exchange(server.port, OK)).toMatch(/^HTTP\/1\.1 200 /);
    open[1]?.socket.write(OK);
    expect(await open[1]?.ended()).toContain('200 OK');
  });

  it.each([0, -1, 1.5, '2', Number.POSITIVE_INFINITY])('cannot be %j', async (maxConnections) => {
    const listening = Reflect.apply(listen, undefined, [createApp(), 0, { maxConnections }]);
    await expect(listening).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining('maxConnections'),
    });
  });
});

it('a server waits 20 seconds for a request head and 120 seconds for a request by default', async () => {
  const server = await listen(createApp(), 0, { host: '127.0.0.1' });
  onTestFinished(() => server.close({ timeout: 0 }));
  const { headersTimeout, requestTimeout } = server.node;
  expect([headersTimeout, requestTimeout]).toEqual([20_000, 120_000]);
});

it.each([[{}], [{ maxHeaders: undefined, writeTimeout: undefined }]])(
  'the limits of %j are those of the README',
  (limits) => {
    expect(completeLimits(limits as object)).toEqual({
      headersTimeout: 20_000,
      requestTimeout: 120_000,
      keepAliveTimeout: 72_000,
      writeTimeout: 30_000,
      maxHeaderSize: 16_384,
      maxHeaders: 200,
      maxTargetSize: 8_192,
    });
  },
);
