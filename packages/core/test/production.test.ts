import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type Application,
  createApp,
  createRouter,
  errorHandler,
  HttpError,
  InternalServerError,
  json,
  listen,
  type Middleware,
  NotFoundError,
  notFoundHandler,
  raw,
  type Server,
  text,
  urlencoded,
} from '../src/index.js';
import { giveUp } from './support/give-up.js';

const SECRET = 'hunter2 at /srv/app/secret.ts:7:7 of node:internal/secrets';

/** Text that no client may receive: stack lines, file paths, node's internal modules, error messages. */
const LEAKS = [
  /\n\s*at /,
  /\\n\s*at /,
  /(?:^|[\s("'])\/(?:srv|home|usr|root|tmp|var|work|opt)\//,
  /\.[cm]?[jt]s\b/,
  /file:\/\//,
  /node:/,
  /node_modules/,
  /hunter2/,
  /JSON at position|Unexpected (?:token|end)|incorrect header check|Z_[A-Z]+_ERROR|ERR_[A-Z_]+|HPE_|ECONN/,
  /(?:Type|Range|Syntax|URI|Reference|Aggregate)Error/,
];

/** Handlers that fail in different ways. */
const FAILURES: Readonly<Record<string, Middleware>> = {
  thrown: () => {
    throw new Error(SECRET);
  },
  rejected: () => Promise.reject(new TypeError(SECRET)),
  text: () => {
    throw SECRET;
  },
  nothing: () => {
    throw undefined;
  },
  object: () => {
    throw { message: SECRET, status: 400, expose: true };
  },
  frozen: () => {
    throw Object.freeze(Object.assign(new Error(SECRET), { stack: SECRET }));
  },
  hidden: () => {
    throw new HttpError(400, SECRET, { expose: false, details: { why: SECRET } });
  },
  internal: () => {
    throw new InternalServerError(SECRET, { details: { why: SECRET } });
  },
  caused: () => {
    throw new NotFoundError('No such user.', { cause: new Error(SECRET) });
  },
  unwritable: () => {
    throw new NotFoundError('No.', { details: { big: 1n, why: SECRET } });
  },
  headers: () => {
    throw new NotFoundError('No.', { headers: { 'bad name': SECRET } });
  },
  twice: async (_ctx, next) => {
    await next();
    await next();
  },
  cycle: (ctx) => {
    const self: Record<string, unknown> = { why: SECRET };
    self.self = self;
    ctx.json(self);
  },
  header: (ctx) => ctx.set('X-Bad', `a\r\n${SECRET}`),
  location: (ctx) => ctx.redirect(`/a\r\n${SECRET}`),
  status: (ctx) => {
    ctx.status = 42;
  },
  undefined: (ctx) => (ctx.body as { a: { b: string } }).a.b,
  stream: (ctx) => ctx.send(new Readable({ read: () => undefined }).destroy(new Error(SECRET))),
  slow: () => new Promise(() => undefined),
};

function createService(): Application {
  const router = createRouter().get('/users/:id', (ctx) => ctx.send(ctx.params.id ?? ''));
  for (const [name, fail] of Object.entries(FAILURES))
    router.all(`/fail/${name}`, giveUp(20), fail);
  return createApp()
    .use(errorHandler({ includeStack: false }))
    .use(json({ limit: 100 }), urlencoded({ limit: 100, maxFields: 2 }))
    .use(text({ limit: 100 }), raw({ limit: 100 }))
    .route('/', router)
    .use(notFoundHandler());
}

const post = (headers: string, body: string | Buffer = '', target = '/users/1') =>
  `POST ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body.toString('latin1')}`;
const get = (target: string, headers = '') =>
  `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}\r\n`;
const JSON_TYPE = 'Content-Type: application/json\r\n';

/** Requests that fail before, in and after the parsers, by name. */
const REQUESTS: Readonly<Record<string, string>> = {
  'no route': get('/nowhere'),
  'another method': post('', ''),
  'a malformed escape': get('/users/%E0%A4%A'),
  'a NUL': get('/users/%00'),
  'an asterisk': get('*'),
  'another scheme': get('ftp://a/b'),
  'bytes past ASCII': get('/users/\xff\xfe'),
  'a path that climbs': get('/../../etc/passwd%00'),
  'no JSON': post(JSON_TYPE, '{"a":'),
  'a stray character': post(JSON_TYPE, '{"a":x}'),
  'no UTF-8': post(JSON_TYPE, '"\xff"'),
  'a forbidden key': post(JSON_TYPE, '{"__proto__":{}}'),
  'deep JSON': post(JSON_TYPE, '['.repeat(99)),
  'a long body': post(JSON_TYPE, `"${'x'.repeat(200)}"`),
  'another charset': post('Content-Type: application/json; charset=koi8-r\r\n', '{}'),
  'another encoding': post(`${JSON_TYPE}Content-Encoding: zstd\r\n`, '{}'),
  'corrupt gzip': post(`${JSON_TYPE}Content-Encoding: gzip\r\n`, '{}'),
  'corrupt deflate': post(`${JSON_TYPE}Content-Encoding: deflate\r\n`, '{}'),
  'corrupt br': post(`${JSON_TYPE}Content-Encoding: br\r\n`, '{}'),
  'cut gzip': post(`${JSON_TYPE}Content-Encoding: gzip\r\n`, gzipSync('{}').subarray(0, 15)),
  'a bomb': post(`${JSON_TYPE}Content-Encoding: gzip\r\n`, gzipSync(Buffer.alloc(10_000))),
  'many fields': post('Content-Type: application/x-www-form-urlencoded\r\n', 'a=&b=&c='),
  'a form of no UTF-8': post('Content-Type: application/x-www-form-urlencoded\r\n', 'a=\xff'),
  'text of no UTF-8': post('Content-Type: text/plain\r\n', '\xff'),
  'an expectation': get('/users/1', 'Expect: tea\r\n'),
  'no Host': 'GET / HTTP/1.1\r\n\r\n',
  'two Hosts': get('/', 'Host: b\r\n'),
  'a long target': get(`/${'a'.repeat(9_000)}`),
  'many headers': get('/', 'A: b\r\n'.repeat(300)),
  'long headers': get('/', `A: ${'b'.repeat(20_000)}\r\n`),
  'two framings': get('/', 'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n'),
  'a broken chunk': `POST /users/1 HTTP/1.1\r\nHost: a\r\n${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
  rubbish: 'rubbish\r\n\r\n',
  'another protocol': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  TLS: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  ...Object.fromEntries(
    Object.keys(FAILURES).flatMap((name) => [
      [`GET that fails: ${name}`, get(`/fail/${name}`)],
      [`POST that fails: ${name}`, post(JSON_TYPE, '{"a":null}', `/fail/${name}`)],
    ]),
  ),
};

it.each([new Error('inside').stack, JSON.stringify(new Error().stack), SECRET, import.meta.url])(
  'the search finds %j',
  (text) => {
    expect(LEAKS.filter((leak) => leak.test(text ?? ''))).not.toEqual([]);
  },
);

describe('in production', () => {
  beforeEach(() => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
  });
  let server: Server;
  beforeAll(async () => {
    vi.stubEnv('NODE_ENV', 'production');
    server = await listen(createService(), 0, { host: '127.0.0.1' });
  });
  afterAll(async () => {
    await server.close({ timeout: 0 });
    vi.unstubAllEnvs();
  });

  it.each(Object.keys(REQUESTS))('the response to %s shows nothing of the inside', async (name) => {
    const { socket, ended } = connectRaw(server.port);
    socket.write(REQUESTS[name] ?? '', 'latin1');
    const response = await ended();
    expect(response).toMatch(/^HTTP\/1\.1 [45]\d\d /);
    const body = response.slice(response.indexOf('\r\n\r\n') + 4);
    expect(JSON.parse(body)).not.toHaveProperty('stack');
    for (const leak of LEAKS) expect(response).not.toMatch(leak);
  });
});
