import { randomBytes } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { createLambdaHandler } from '@fairlead/aws-lambda';
import { connect } from '@fairlead/connect';
import {
  type Application,
  createApp,
  errorHandler,
  json,
  listen,
  type Middleware,
  text,
  urlencoded,
} from '@fairlead/core';
import { createWebhookSecret, webhookSignature } from '@fairlead/jobs/webhooks';
import { createJwtAuth } from '@fairlead/jwt';
import { mcp } from '@fairlead/mcp';
import {
  compression,
  cors,
  csrf,
  csrfTokens,
  etag,
  readCookies,
  requestId,
  requireMatch,
  signedCookies,
} from '@fairlead/middleware';
import { multipart } from '@fairlead/multipart';
import { openapi } from '@fairlead/openapi';
import { rateLimit } from '@fairlead/rate-limit';
import { createMemoryStore, session } from '@fairlead/session';
import { serveStatic } from '@fairlead/static';
import { createTransactions, idempotency } from '@fairlead/transactions';
import { websocket } from '@fairlead/websocket';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { growthOf, NEARLY_LINEAR } from './support/growth.js';
import { hostileTexts } from './support/hostile-text.js';
import { workspace } from './support/project.js';

/** The default limit of `listen()` for all headers of a request, less those that every request has. */
const HEADER_SIZE = 15_000;
/** The default limit of `listen()` for a target, less what every target has. */
const TARGET_SIZE = 7_500;
/** The default limit of `json()` and other body parsers. */
const BODY_SIZE = 2 ** 20;

const keys = [randomBytes(32)];

/** Creates an application that ends with a handler. */
const appOf = (...middleware: readonly Middleware[]): Application =>
  createApp()
    .use(errorHandler(), ...middleware)
    .use((ctx) => ctx.send('ok'));

const behind = (header: 'x-forwarded' | 'forwarded') =>
  createApp({ proxy: { trust: 100_000, header } })
    .use(errorHandler(), rateLimit({ points: 1e9, duration: 60 }))
    .use((ctx) => ctx.send(`${ctx.ip} ${ctx.host} ${ctx.protocol}`));

const files = appOf(
  serveStatic(join(workspace, 'docs'), { fallback: 'README.md', precompressed: true }),
);
const tags = appOf(etag(), (ctx, next) => {
  requireMatch(ctx, '"7"');
  return next();
});
const once = appOf(
  idempotency(
    createTransactions({
      client: undefined,
      transact: (work) => work(undefined),
      query: async () => [{}],
    }),
    { principal: () => 'ada' },
  ),
);
const hooks = appOf(
  text(),
  webhookSignature({ secrets: [createWebhookSecret()], tolerance: 1e12 }),
);
const bodies = appOf(json(), urlencoded(), text(), multipart(), etag());
const signed = signedCookies(keys);
const cookies = createApp()
  .use(errorHandler(), session({ keys }))
  .use((ctx) => ctx.send(`${readCookies(ctx).a} ${signed.read(ctx, 'a')} ${ctx.state.session.id}`));
const stored = createApp()
  .use(errorHandler(), session({ store: createMemoryStore() }))
  .use((ctx) => ctx.send(String(ctx.state.session.id)));
const tokens = csrfTokens({ keys, session: () => 'ada' });
const auth = createJwtAuth({
  issuer: 'https://a.example/',
  audience: 'a',
  secret: randomBytes(32),
});
const jwt = createApp()
  .use(errorHandler(), auth.middleware)
  .use((ctx) => ctx.send('ok'));
const sockets = appOf(websocket(() => undefined));
const foreign = createApp()
  .use(errorHandler())
  .use('/admin', (ctx) => ctx.send('guarded'))
  .use(connect((req, res) => res.end(JSON.stringify(Object(req).query))));
const documented = await createApp()
  .use(errorHandler())
  .plugin(openapi({ info: { title: 'a', version: '1' }, docs: '/docs' }));

/** An application whose middleware may set any state. */
type Target = Pick<Application, 'fetch'>;

/** A request that an application receives with hostile text in one header. */
interface Reader {
  readonly app: Target;
  readonly path?: string;
  readonly method?: string;
  /** What the text follows. */
  readonly starts?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

const HANDSHAKE = {
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};
const SIGNED = { 'Webhook-Timestamp': String(Math.floor(Date.now() / 1_000)) };
const MULTIPART = 'multipart/form-data';

/** Each header of a request that a package reads. */
const READERS: Readonly<Record<string, Reader | readonly Reader[]>> = {
  Accept: { app: files, path: '/none', starts: ['', 'text/html;'] },
  'Accept-Encoding': [
    { app: appOf(compression()), starts: ['', 'gzip;'] },
    { app: files, path: '/README.md' },
  ],
  'Access-Control-Request-Headers': {
    app: appOf(cors({ credentials: true, origin: ['https://a.example'] })),
    method: 'OPTIONS',
    headers: { Origin: 'https://a.example', 'Access-Control-Request-Method': 'PUT' },
  },
  'Access-Control-Request-Method': { app: appOf(cors()), method: 'OPTIONS' },
  Authorization: { app: jwt, starts: ['', 'Bearer ', 'Bearer eyJhbGciOiJIUzI1NiJ9.'] },
  Connection: { app: appOf() },
  'Content-Encoding': { app: bodies, method: 'POST' },
  'Content-Length': { app: appOf() },
  'Content-Type': {
    app: bodies,
    method: 'POST',
    starts: ['', 'application/', 'text/plain;charset=', MULTIPART, `${MULTIPART}; boundary=`],
  },
  Cookie: [
    { app: cookies, starts: ['', 'a=', '__Host-Http-session=', 'session='] },
    { app: stored, starts: ['', '__Host-Http-session='] },
    { app: appOf(csrf({ tokens })), method: 'POST', starts: ['', '__Host-Http-csrf='] },
  ],
  Forwarded: { app: behind('forwarded'), starts: ['', 'for=', 'for="'] },
  Host: { app: appOf(csrf()), method: 'POST', headers: { Origin: 'https://a.example' } },
  'Idempotency-Key': { app: once, method: 'POST', starts: ['', '"'] },
  'If-Match': [
    { app: tags, starts: ['', '"'] },
    { app: files, path: '/README.md' },
  ],
  'If-Modified-Since': { app: files, path: '/README.md', starts: ['', 'Mon, '] },
  'If-None-Match': [
    { app: tags, starts: ['', '"'] },
    { app: files, path: '/README.md' },
    { app: documented, path: '/docs' },
  ],
  'If-Range': { app: files, path: '/README.md', headers: { Range: 'bytes=0-1' } },
  'If-Unmodified-Since': { app: files, path: '/README.md' },
  Origin: [
    { app: appOf(cors({ origin: [/^https:\/\/[a-z]+\.example$/] })), starts: ['', 'https://'] },
    { app: appOf(csrf()), method: 'POST', starts: ['', 'https://', 'https://xn--'] },
    { app: sockets, headers: HANDSHAKE, starts: ['', 'https://', 'https://xn--'] },
  ],
  Range: { app: files, path: '/README.md', starts: ['', 'bytes='] },
  'Sec-Fetch-Site': { app: appOf(csrf()), method: 'POST' },
  'Sec-WebSocket-Key': { app: sockets, headers: HANDSHAKE },
  'Sec-WebSocket-Protocol': { app: sockets, headers: HANDSHAKE, starts: ['', 'a'] },
  'Sec-WebSocket-Version': { app: sockets, headers: HANDSHAKE },
  Upgrade: { app: sockets },
  'Webhook-Id': { app: hooks, method: 'POST', headers: SIGNED },
  'Webhook-Signature': { app: hooks, method: 'POST', starts: ['', 'v1,'], headers: SIGNED },
  'Webhook-Timestamp': { app: hooks, method: 'POST', starts: ['', '1'] },
  'X-CSRF-Token': {
    app: appOf(csrf({ tokens })),
    method: 'POST',
    headers: { Cookie: '__Host-Http-csrf=a' },
  },
  'X-Forwarded-For': { app: behind('x-forwarded') },
  'X-Forwarded-Host': { app: behind('x-forwarded') },
  'X-Forwarded-Proto': { app: behind('x-forwarded') },
  'X-Request-Id': { app: appOf(requestId({ trust: true })) },
};

/** Sends a request, and reads its response. */
async function send(
  app: Target,
  target: string,
  { method = 'GET', ...init }: RequestInit = {},
): Promise<void> {
  const request = new Request('http://localhost/', { method, ...init });
  const response = await app.fetch(request, { target });
  await response.arrayBuffer();
  expect(response.status).toBeLessThan(500);
}

/** Measures every hostile text, and names those whose work grows faster than they do. */
async function findSlow(
  size: number,
  handle: (text: string) => unknown,
  texts = hostileTexts(),
): Promise<string[]> {
  const slow: string[] = [];
  for (const [name, textOf] of texts) {
    const growth = await growthOf((length) => handle(textOf(length)), size);
    if (growth >= NEARLY_LINEAR) slow.push(`${name}: ${growth.toFixed(1)} times for 4n`);
  }
  return slow;
}

describe('the work for a header grows no faster than the header', () => {
  const cases = Object.entries(READERS).flatMap(([name, readers]) =>
    [readers]
      .flat()
      .flatMap(({ app, path = '/', method = 'GET', starts = [''], headers }) =>
        starts.map((start) => ({ name, start, path, method, app, headers })),
      ),
  );

  it.each(cases)('$name: $start… for $method $path', async (one) => {
    const { app, name, start, path, method, headers } = one;
    const handle = async (value: string) => {
      const init = { method, headers: { ...headers, [name]: start + value } };
      await send(app, path, method === 'POST' ? { ...init, body: 'a' } : init);
    };
    expect(await findSlow(HEADER_SIZE, handle)).toEqual([]);
  });

  it('covers each header that a package reads', () => {
    const read = globSync('packages/*/src/**/*.ts', { cwd: workspace })
      .filter((file) => !/\.test(?:-d)?\.ts$|packages\/(?:client|fairlead|test)/.test(file))
      .flatMap((file) => [
        ...readFileSync(join(workspace, file), 'utf8').matchAll(
          /\bctx\.get\('([\w-]+)'\)|\b(?:req\.)?headers\['([a-z-]+)'\]/g,
        ),
      ])
      .map(([, name = '', lower = name]) => lower.toLowerCase());
    const covered = Object.keys(READERS).map((name) => name.toLowerCase());
    // Those of the parts of a form have their own test, as have calls of tools, for which mcp() writes X-Search.
    // Node.js accepts only `chunked` as the other one.
    const others = ['content-disposition', 'x-search', 'transfer-encoding'];
    expect([...new Set(read)].filter((name) => ![...covered, ...others].includes(name))).toEqual(
      [],
    );
  });
});

describe('the work for a target grows no faster than the target', () => {
  const routed = createApp()
    .use(errorHandler())
    .get('/files/*path', ({ params }) => params)
    .get('/:a-:b/:c', ({ params }) => params)
    .get('/', { query: z.object({ a: z.string().optional() }) }, ({ query }) => query);
  /** Encodes what a target cannot contain. */
  const encode = (one: string) => one.replace(/[^\x21-\x7e]/g, encodeURIComponent);
  // A line break ends what `.` matches.
  const texts = hostileTexts(['', '!x', '\n'], encode);

  it.each<[string, Target, string]>([
    ['a path', routed, '/'],
    ['a wildcard', routed, '/files/'],
    ['a parameter', routed, '/a-'],
    ['a query', routed, '/?'],
    ['the value of a query', routed, '/?a='],
    ['a path before middleware of Express', foreign, '/'],
    ['a query for middleware of Express', foreign, '/?'],
    ['the path of a file', files, '/'],
  ])('%s', async (_, app, start) => {
    const handle = (one: string) => send(app, start + one);
    expect(await findSlow(TARGET_SIZE, handle, texts)).toEqual([]);
  });

  it('with a host', async () => {
    const server = await listen(routed, 0, { host: '127.0.0.1' });
    onTestFinished(() => server.close({ timeout: 0 }));
    const ask = (path: string) =>
      new Promise<void>((resolve, reject) => {
        const outgoing = request({ host: '127.0.0.1', port: server.port, path, agent: false });
        outgoing.on('response', (response) => response.resume().on('end', resolve));
        outgoing.on('error', reject).end();
      });
    const handle = (one: string) => ask(`http://${one}`);
    expect(await findSlow(TARGET_SIZE, handle, texts)).toEqual([]);
  });
});

describe('the work for a body grows no faster than the body', () => {
  const accounts = createApp()
    .use(errorHandler(), json())
    .post(
      '/',
      { body: z.strictObject({ a: z.array(z.object({ b: z.number() })).optional() }) },
      ({ body }) => body,
    );
  const post = (app: Target, type: string, body: string) =>
    send(app, '/', { method: 'POST', body, headers: { 'Content-Type': type } });
  const shapesOf = (shapes: Readonly<Record<string, (size: number) => string>>) =>
    Object.entries(shapes);
  const list = (size: number, piece: (index: number) => string) =>
    Array.from({ length: size / 16 }, (_, index) => piece(index)).join();

  const JSON_SHAPES = shapesOf({
    arrays: (size) => '['.repeat(size),
    'arrays that end': (size) => '['.repeat(size / 2) + ']'.repeat(size / 2),
    'the most levels, again and again': (size) =>
      `[${list(size / 16, () => '['.repeat(100) + ']'.repeat(100))}]`,
    objects: (size) => '{"a":'.repeat(size / 5),
    'escaped quotes': (size) => `"${'\\"'.repeat(size / 2)}`,
    backslashes: (size) => `"${'\\'.repeat(size)}`,
    'escaped keys': (size) => `{${list(size, (index) => `"\\u0061${index}":1`)}}`,
    'unknown keys': (size) => `{${list(size, (index) => `"k${index}":1`)}}`,
    'wrong members': (size) => `{"a":[${list(size, () => '{"b":"x"}')}]}`,
    'keys near __proto__': (size) => `{${list(size, (index) => `"proto${index}":{}`)}}`,
    'a huge key': (size) => `{"${'k'.repeat(size)}":1}`,
    'a huge number': (size) => '1'.repeat(size),
    blanks: (size) => `${' '.repeat(size)}x`,
  });

  it('json()', async () => {
    const handle = (one: string) => post(bodies, 'application/json', one);
    expect(await findSlow(BODY_SIZE / 4, handle, JSON_SHAPES)).toEqual([]);
  });

  it('json() and a schema', async () => {
    const handle = (one: string) => post(accounts, 'application/json', one);
    expect(await findSlow(BODY_SIZE / 4, handle, JSON_SHAPES)).toEqual([]);
  });

  it('urlencoded()', async () => {
    const handle = (one: string) => post(bodies, 'application/x-www-form-urlencoded', one);
    expect(await findSlow(BODY_SIZE / 16, handle)).toEqual([]);
  });

  it('text()', async () => {
    const handle = (one: string) => post(bodies, 'text/plain; charset=utf-8', one);
    expect(await findSlow(BODY_SIZE / 16, handle)).toEqual([]);
  });

  const headed = (name: string, value: string) =>
    `--b\r\n${name}: ${value.replaceAll('\n', '')}\r\n\r\n1\r\n--b--\r\n`;

  it.each([
    ['Content-Disposition', ''],
    ['Content-Disposition', 'form-data'],
    ['Content-Disposition', 'form-data; name="'],
    ['Content-Disposition', 'form-data; name=a; filename="'],
    ['Content-Disposition', "form-data; name=a; filename*=utf-8'"],
    ['Content-Disposition', "form-data; name=a; filename*=utf-8''"],
    ['Content-Type', 'text/plain;'],
  ])('the head of a part: %s: %s…', async (name, start) => {
    const handle = (one: string) =>
      post(bodies, `${MULTIPART}; boundary=b`, headed(name, start + one));
    expect(await findSlow(8_000, handle)).toEqual([]);
  });

  it('multipart()', async () => {
    const head = 'Content-Disposition: form-data; name="a"\r\n\r\n';
    const shapes = shapesOf({
      parts: (size) => `${`--b\r\n${head}\r\n`.repeat(size / 50)}--b--`,
      'parts without a head': (size) => `${'--b\r\n\r\n'.repeat(size / 8)}--b--`,
      boundaries: (size) => '--b\r\n'.repeat(size / 6),
      'almost boundaries': (size) => `--b\r\n${head}${'\r\n--'.repeat(size / 4)}`,
      dashes: (size) => '-'.repeat(size),
      'line breaks': (size) => `--b\r\n${'\r\n'.repeat(size / 2)}`,
      'heads that never end': (size) => `--b\r\n${'a: b\r\n'.repeat(size / 6)}`,
      'a folded head': (size) => `--b\r\na: b${'\r\n '.repeat(size / 3)}`,
    });
    const handle = (one: string) => post(bodies, `${MULTIPART}; boundary=b`, one);
    expect(await findSlow(BODY_SIZE / 4, handle, shapes)).toEqual([]);
  });
});

describe('the work for a call of a tool grows no faster than the call', async () => {
  const app = await createApp()
    .use(errorHandler())
    .get(
      '/users/:id',
      {
        operationId: 'findUser',
        query: z.object({ page: z.string().optional(), others: z.string().optional() }),
        tool: true,
        public: 'Everyone may call it.',
      },
      ({ params }) => params,
    )
    .plugin(mcp({ name: 'users', version: '1' }));
  const VERSION = '2026-07-28';
  const call = (name: string, args: unknown, headers: Readonly<Record<string, string>> = {}) =>
    send(app, '/mcp', {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': VERSION,
        'Mcp-Method': 'tools/call',
        'Mcp-Name': 'findUser',
        ...headers,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name,
          arguments: args,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': VERSION,
            'io.modelcontextprotocol/clientInfo': { name: 'a', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    });
  const LARGE = BODY_SIZE / 32;

  it.each<[string, number, (one: string) => unknown]>([
    ['the name of an argument', LARGE, (one) => call('findUser', { id: '1', [one]: 1 })],
    ['a parameter of the path', LARGE, (one) => call('findUser', { id: one })],
    ['a value of the query', LARGE, (one) => call('findUser', { id: '1', page: one })],
    ['the name of a tool', LARGE, (one) => call(one, {}, { 'Mcp-Name': 'a' })],
    ...['Connection', 'Mcp-Name', 'Mcp-Method', 'MCP-Protocol-Version', 'Accept'].map(
      (name): [string, number, (one: string) => unknown] => [
        name,
        HEADER_SIZE,
        (one) => call('findUser', { id: '1' }, { [name]: one }),
      ],
    ),
  ])('%s', async (_, size, handle) => {
    expect(await findSlow(size, handle)).toEqual([]);
  });
});

describe('the work for an event of AWS Lambda grows no faster than the event', () => {
  const handler = createLambdaHandler(behind('x-forwarded'));
  const invoke = (changes: object) =>
    handler(
      {
        version: '2.0',
        rawPath: '/',
        rawQueryString: '',
        headers: {},
        requestContext: { http: { method: 'GET', sourceIp: '127.0.0.1' }, stage: '$default' },
        ...changes,
      },
      { getRemainingTimeInMillis: () => 30_000 } as never,
    );

  it.each<[string, (one: string) => object]>([
    ['the path', (one) => ({ rawPath: `/${one}` })],
    ['the query', (one) => ({ rawQueryString: one })],
    ['a cookie', (one) => ({ cookies: [one.trim()] })],
    ['X-Forwarded-For', (one) => ({ headers: { 'X-Forwarded-For': one.trim() } })],
    ['X-Forwarded-Proto', (one) => ({ headers: { 'X-Forwarded-Proto': one.trim() } })],
  ])('%s', async (_, changesOf) => {
    expect(await findSlow(7_500, (one) => invoke(changesOf(one)))).toEqual([]);
  });
});

// A busy machine may slow the shortest measurement alone.
it('quadratic work is recognized', { retry: 5 }, async () => {
  const trim = (one: string) => one.replace(/\s+$/, '');
  const [slow] = await findSlow(32_768, trim, [['blanks', (size) => `${' '.repeat(size)}x`]]);
  expect(slow).toContain('blanks');
});
