import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createApp,
  createRouter,
  errorHandler,
  json,
  type Middleware,
  type Route,
  text,
  urlencoded,
} from '@fairlead/core';
import { createJwtAuth, requireScope } from '@fairlead/jwt';
import { requestId } from '@fairlead/middleware';
import { exchange } from '@fairlead/test-support/raw-connection';
import { SignJWT } from 'jose';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { createFinder } from '../src/call.js';
import { mcp } from '../src/index.js';
import { call, connect, message, post, REVISION, serve } from './support/serve.js';

const open = { tool: true, public: 'Everyone may call it.' };

const secret = 'a secret of at least thirty-two bytes';
const issuer = 'https://login.example.com/';
const audience = 'https://api.example.com';
const auth = createJwtAuth({ issuer, audience, secret });

const createToken = (scope: string) =>
  new SignJWT({ scope })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject('ada')
    .setExpirationTime('5m')
    .sign(new TextEncoder().encode(secret));

const createGuarded = () =>
  createRouter()
    .use(auth.middleware)
    .get('/me', { operationId: 'whoAmI', tool: true }, (ctx) => ({ id: ctx.state.jwt.claims.sub }))
    .delete('/', { operationId: 'dropAll', tool: true }, requireScope('admin'), () => ({
      ok: true,
    }));

it('a call has the token of the client, and a missing or weak one is a readable result', async () => {
  const server = await serve(createApp().use(errorHandler()).route('/users', createGuarded()));
  const anonymous = await call(await connect(server), 'whoAmI');
  expect(anonymous.isError).toBe(true);
  expect(anonymous.text).toContain('401 Unauthorized\nWWW-Authenticate: Bearer realm="api"');
  const Authorization = `Bearer ${await createToken('users:read')}`;
  const client = await connect(server, { Authorization });
  expect(await call(client, 'whoAmI')).toEqual({ text: '{"id":"ada"}', isError: false });
  const weak = await call(client, 'dropAll');
  expect(weak.isError).toBe(true);
  expect(weak.text).toContain('403 Forbidden');
  expect(weak.text).toContain('insufficient_scope');
});

it('middleware in front of the endpoint rejects its clients, and tells where to get a token', async () => {
  const app = createApp().use('/mcp', auth.middleware).route('/users', createGuarded());
  const resource = 'https://api.example.com/mcp';
  const authorization = { resource, servers: ['https://login.example.com'], scopes: ['users'] };
  const server = await serve(app, { authorization });
  await expect(connect(server)).rejects.toMatchObject({ status: 401 });
  const Authorization = `Bearer ${await createToken('users:read')}`;
  const client = await connect(server, { Authorization });
  expect((await call(client, 'whoAmI')).text).toBe('{"id":"ada"}');
  const metadata = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', server.url));
  expect(metadata.headers.get('Access-Control-Allow-Origin')).toBe('*');
  expect(await metadata.json()).toEqual({
    resource,
    authorization_servers: ['https://login.example.com'],
    scopes_supported: ['users'],
    bearer_methods_supported: ['header'],
  });
});

it('a call has the headers of the client, except those that describe its message', async () => {
  const app = createApp()
    .use(requestId({ trust: true }))
    .get('/echo', { operationId: 'echo', ...open }, (ctx) => ({
      headers: ctx.headers,
      ip: ctx.ip,
      host: ctx.host,
      protocol: ctx.protocol,
      id: ctx.state.requestId,
    }));
  const server = await serve(app);
  const client = await connect(server, {
    Cookie: 'session=1',
    'X-Api-Key': 'key',
    'X-Request-Id': 'my-id',
    'User-Agent': 'agent',
    'If-None-Match': '*',
    Range: 'bytes=0-0',
    'Content-Language': 'de',
  });
  const { headers, ...others } = JSON.parse((await call(client, 'echo')).text);
  const { host } = new URL(server.url);
  expect(others).toEqual({ ip: '127.0.0.1', host, protocol: 'http', id: 'my-id' });
  expect(headers).toMatchObject({
    accept: 'application/json, text/*;q=0.9, */*;q=0.8',
    cookie: 'session=1',
    'x-api-key': 'key',
    'user-agent': 'agent',
  });
  const names = Object.keys(headers).join();
  expect(names).not.toMatch(/mcp|content|if-none|range|encoding/);
});

it('a call has the address that a trusted proxy reports', async () => {
  const app = createApp({ proxy: 1 }).get('/', { operationId: 'ip', ...open }, (ctx) => ({
    ip: ctx.ip,
    protocol: ctx.protocol,
  }));
  const client = await connect(await serve(app), {
    'X-Forwarded-For': '203.0.113.7',
    'X-Forwarded-Proto': 'https',
  });
  const { text } = await call(client, 'ip');
  expect(JSON.parse(text)).toEqual({ ip: '203.0.113.7', protocol: 'https' });
});

it.each(['close, X-Forwarded-For', 'x-forwarded-for,close ,Authorization'])(
  'Connection: %s of a client removes no header from a call, and ends the connection',
  async (connection) => {
    const app = createApp({ proxy: 1 })
      .use(json())
      .get('/', { operationId: 'ip', ...open }, (ctx) => `${ctx.ip} ${ctx.get('Authorization')}`);
    const { port } = await serve(app);
    const body = JSON.stringify(message('tools/call', { name: 'ip', arguments: {} }));
    const reply = await exchange(
      port,
      [
        'POST /mcp HTTP/1.1',
        'Host: localhost',
        `Connection: ${connection}`,
        'X-Forwarded-For: 203.0.113.7',
        'Authorization: Bearer token',
        'Content-Type: application/json',
        'Accept: application/json, text/event-stream',
        `MCP-Protocol-Version: ${REVISION}`,
        'Mcp-Method: tools/call',
        'Mcp-Name: ip',
        `Content-Length: ${Buffer.byteLength(body)}`,
        '',
        body,
      ].join('\r\n'),
    );
    expect(reply).toContain('203.0.113.7 Bearer token');
  },
);

it('a call without a trusted ID gets the one of the request that made it', async () => {
  const seen: unknown[] = [];
  const remember: Middleware = (ctx, next) => {
    seen.push(ctx.state.requestId);
    return next();
  };
  const app = createApp()
    .use(requestId({ trust: true }), remember)
    .get('/', { operationId: 'read', ...open }, () => 1);
  const client = await connect(await serve(app));
  seen.length = 0;
  await call(client, 'read');
  expect(seen).toEqual([expect.any(String), seen[0]]);
});

it('a call runs the middleware, the error handler and the validation of its route', async () => {
  const order: string[] = [];
  const log =
    (name: string): Middleware =>
    (ctx, next) => {
      order.push(`${name} ${ctx.method} ${ctx.path}`);
      return next();
    };
  const errors: unknown[] = [];
  const app = createApp()
    .use(log('app'), errorHandler({ onError: (error) => void errors.push(error) }), json())
    .post(
      '/users/:id',
      { operationId: 'fail', body: z.object({ name: z.string() }), ...open },
      log('route'),
      () => {
        throw new Error('the password is 1234');
      },
    );
  const client = await connect(await serve(app));
  order.length = 0;
  const failed = await call(client, 'fail', { id: 7, name: 'Ada' });
  expect(failed).toEqual({ text: expect.stringContaining('500 Internal'), isError: true });
  expect(failed.text).not.toContain('1234');
  expect(errors).toEqual([expect.objectContaining({ message: 'the password is 1234' })]);
  expect(order).toEqual(['app POST /mcp', 'app POST /users/7', 'route POST /users/7']);
});

it('a value that leads to a route which is no tool is an error', async () => {
  const called: string[] = [];
  const users = createRouter()
    .get('/:id', { operationId: 'findUser', ...open }, ({ params }) => params.id)
    .get('/admin', () => void called.push('admin'))
    .get('/:id/secrets', () => void called.push('secrets'));
  const files = createRouter({ caseSensitive: false })
    .get('/*path', { operationId: 'readFile', ...open }, ({ params }) => params.path)
    .get('/Private/*path', () => void called.push('private'));
  const app = createApp().use(errorHandler()).route('/users', users).route('/files', files);
  const client = await connect(await serve(app));
  for (const id of ['admin', '%61dmin', '../users/admin', '7/secrets', 'a/../admin']) {
    const result = await call(client, 'findUser', { id });
    const isAdmin = id === 'admin';
    expect(result).toEqual(
      isAdmin
        ? { text: expect.stringContaining("of 'id' belong to another route"), isError: true }
        : { text: JSON.stringify(id), isError: false },
    );
  }
  for (const path of ['private/key', 'PRIVATE/key', '%50rivate/key']) {
    await call(client, 'readFile', { path });
  }
  expect((await call(client, 'readFile', { path: 'a/..b' })).text).toBe('"a/..b"');
  expect((await call(client, 'readFile', { path: 'a/../b' })).isError).toBe(true);
  expect(called).toEqual([]);
});

it('finds the route that the application would run if a router is mounted twice', async () => {
  const router = createRouter()
    .get('/:section/:page', () => 1)
    .get('/:page', () => 2);
  const routes = createApp().route('/', router).route('/docs', router).routes();
  const wanted = routes.find(({ pattern }) => pattern === '/docs/:page') as Route;
  const found = await createFinder(routes)(wanted, '/docs/intro');
  expect(found?.route.pattern).toBe('/:section/:page');
});

it('a client that disconnects aborts the signal of the route', async () => {
  for (const mode of [{ pin: '2026-07-28' }, 'legacy'] as const) {
    const started = Promise.withResolvers<AbortSignal>();
    const app = createApp().get('/', { operationId: 'slow', ...open }, async ({ signal }) => {
      started.resolve(signal);
      await once(signal, 'abort');
      return 'too late';
    });
    const server = await serve(app);
    const client = await connect(server, {}, mode);
    const aborting = new AbortController();
    const calling = client.callTool({ name: 'slow' }, { signal: aborting.signal });
    const rejected = expect(calling).rejects.toThrow();
    const signal = await started.promise;
    aborting.abort();
    await client.close();
    await rejected;
    await expect.poll(() => signal.aborted).toBe(true);
  }
});

it.each([
  ['a number for a string', { id: '1', name: 7 }, /expected string/],
  [
    'an object for a parameter of the path',
    { id: {}, name: 'Ada' },
    /'id' cannot be part of a path/,
  ],
  ['null for a parameter of the path', { id: null, name: 'Ada' }, /'id' cannot be part of a path/],
  ['an empty parameter of the path', { id: '', name: 'Ada' }, /'id' cannot be part of a path/],
  ['a missing parameter of the path', { name: 'Ada' }, /'id' is missing\. Pass it/],
  [
    'half of a character in the path',
    { id: '\ud800', name: 'Ada' },
    /'id' cannot be part of a path/,
  ],
  ['NUL in the path', { id: '\0', name: 'Ada' }, /'id' cannot be part of a path/],
  ['a huge path', { id: 'x'.repeat(100_000), name: 'Ada' }, /'id' cannot be part of a path/],
  ['an object in the query', { id: '1', name: 'Ada', page: { a: 1 } }, /'page' is invalid/],
  ['nested arrays in the query', { id: '1', name: 'Ada', page: [[1]] }, /'page' contains a list/],
  ['a list for one text of the query', { id: '1', name: 'Ada', page: ['1', '2'] }, /receive '1'/],
  ['a list for one text of the path', { id: ['1', '2'], name: 'Ada' }, /receive '1,2'/],
  ['half of a character in the query', { id: '1', name: 'Ada', page: '\udc00' }, /half of a char/],
  ['a segment that clients resolve', { id: '..', name: 'Ada' }, /'id' cannot be part of a path/],
  ['an unknown argument', { id: '1', nmae: 'Ada' }, /no argument 'nmae'. Did you mean 'name'\?/],
  [
    'an unknown argument with a long name',
    { id: '1', name: 'Ada', ['x'.repeat(500_000)]: 1 },
    /^The tool has no argument 'x{60}…'\. Remove it\.$/,
  ],
  ['an inherited name', { id: '1', name: 'Ada', constructor: 1 }, /no argument 'constructor'/],
])('hostile arguments: %s', async (_, args, text) => {
  const app = createApp()
    .use(errorHandler(), json())
    .post(
      '/users/:id',
      {
        operationId: 'add',
        query: z.object({ page: z.string().optional() }),
        body: z.object({ name: z.string() }),
        ...open,
      },
      () => 'handled',
    );
  const client = await connect(await serve(app));
  expect(await call(client, 'add', args)).toEqual({
    text: expect.stringMatching(text),
    isError: true,
  });
});

it('a call over a Unix socket does not have the address of this machine', async () => {
  const app = createApp().get('/', { operationId: 'ip', ...open }, (ctx) => `<${ctx.ip}>`);
  await app.plugin(mcp({ name: 'users', version: '1.2.3' }));
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-'));
  const socketPath = join(folder, 'http.sock');
  const server = createServer(app.handle).listen(socketPath);
  onTestFinished(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });
  await once(server, 'listening');
  const headers = {
    Host: 'localhost',
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': REVISION,
    'Mcp-Method': 'tools/call',
    'Mcp-Name': 'ip',
  };
  const sent = request({ socketPath, agent: false, method: 'POST', path: '/mcp', headers });
  sent.end(JSON.stringify(message('tools/call', { name: 'ip', arguments: {} })));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect(String(Buffer.concat(await response.toArray()))).toContain('<0.0.0.0>');
});

it.each([
  ['a record', z.record(z.string(), z.number()), json()],
  ['a list', z.array(z.string()), json()],
  ['a text', z.string(), text()],
])('a call without its body, %s, does not invent one', async (_, body, parser) => {
  const handle = vi.fn(() => 'handled');
  const app = createApp().put(
    '/settings',
    { operationId: 'replace', body, ...open },
    parser,
    handle,
  );
  const client = await connect(await serve(app));
  expect(await call(client, 'replace', {})).toEqual({
    text: "The argument 'body' is missing. Pass it.",
    isError: true,
  });
  expect(handle).not.toHaveBeenCalled();
});

it('control characters and other scripts stay in their argument', async () => {
  const app = createApp()
    .use(json())
    .post(
      '/größe/:id',
      {
        operationId: 'echo',
        query: z.object({ q: z.string() }),
        body: z.object({ name: z.string() }),
        ...open,
      },
      ({ params, query, body, headers }) => ({ params, query, body, evil: headers.evil }),
    );
  const client = await connect(await serve(app));
  const text = 'a\r\nEvil: 1\r\n\r\n?#&=%2F/😀é"\\';
  const result = await call(client, 'echo', { id: text, q: text, name: text });
  expect(JSON.parse(result.text)).toEqual({
    params: { id: text },
    query: { q: text },
    body: { name: text },
  });
});

describe('values never leave their place', () => {
  const ids = z.object({ ids: z.array(z.string()) });
  const createLists = () =>
    createApp()
      .use(errorHandler())
      .get('/shares/:owner-:file', { operationId: 'share', ...open }, ({ params }) => params)
      .get('/lists/:ids', { operationId: 'list', params: ids, ...open }, ({ params }) => params)
      .get('/files/*ids', { operationId: 'files', params: ids, ...open }, ({ params }) => params)
      .get('/query', { operationId: 'query', query: ids, ...open }, ({ query }) => query);

  it.each([
    ['share', { owner: 'ada', file: 'plan-b' }],
    ['list', { ids: ['1', 'b c/d'] }],
    ['files', { ids: ['a/b', 'c'] }],
    ['query', { ids: ['1,2', ' a ', ''] }],
  ])('%s receives %j as it is', async (name, args) => {
    const client = await connect(await serve(createLists()));
    expect(JSON.parse((await call(client, name, args)).text)).toEqual(args);
  });

  it.each([
    ['share', { owner: 'ada-bob', file: 'plan' }, /contains '-', which ends it/],
    ['list', { ids: ['1,2', '3'] }, /'ids' cannot be part of a path/],
    ['list', { ids: '1,2' }, /'ids' is invalid: the route would receive/],
    ['list', { ids: [' a '] }, /'ids' cannot be part of a path/],
    ['list', { ids: ['', 'a'] }, /'ids' cannot be part of a path/],
    ['list', { ids: [','] }, /'ids' cannot be part of a path/],
    ['files', { ids: ['a,b'] }, /'ids' cannot be part of a path/],
  ])('%s is not called with %j', async (name, args, text) => {
    const client = await connect(await serve(createLists()));
    const result = await call(client, name, args);
    expect(result).toEqual({ text: expect.stringMatching(text), isError: true });
  });
});

/** A message as the bytes of a request. */
function writeCall(head: string, name: string): string {
  const body = JSON.stringify(message('tools/call', { name, arguments: {} }));
  const accept = 'Accept: application/json, text/event-stream\r\nContent-Type: application/json';
  const protocol = `MCP-Protocol-Version: ${REVISION}\r\nMcp-Method: tools/call\r\nMcp-Name: ${name}`;
  return `POST /mcp ${head}${accept}\r\n${protocol}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

it('a request with several Authorization headers is rejected with 400', async () => {
  const app = createApp()
    .use(errorHandler())
    .get('/', { operationId: 'read', ...open }, () => 1);
  const server = await serve(app);
  const head =
    'HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: a\r\nAuthorization: b\r\n';
  const response = await exchange(server.port, writeCall(head, 'read'));
  expect(response).toMatch(/^HTTP\/1\.1 400 [\s\S]*"code":"INVALID_REQUEST"/);
});

it.each([
  ['with a host', 'HTTP/1.1\r\nHost: a.example:81\r\nConnection: close\r\n', 'a.example:81'],
  ['with an empty one', 'HTTP/1.1\r\nHost: \r\nConnection: close\r\n', ''],
  ['of HTTP/1.0 without one', 'HTTP/1.0\r\n', ''],
])('a call has the host of the request %s', async (_, head, host) => {
  const app = createApp().get('/', { operationId: 'read', ...open }, (ctx) => `<${ctx.host}>`);
  const server = await serve(app);
  expect(await exchange(server.port, `GET / ${head}\r\n`)).toContain(`"<${host}>"`);
  expect(await exchange(server.port, writeCall(head, 'read'))).toContain(`\\"<${host}>\\"`);
});

it.each(['', 'null', '{}'])('a body without a message is rejected with 400: %j', async (body) => {
  const server = await serve(createApp().get('/', { operationId: 'read', ...open }, () => 1));
  expect((await post(server, body)).status).toBe(400);
});

it('a value that a form or a text cannot carry is a readable result', async () => {
  const form = z.object({ tags: z.array(z.unknown()) });
  const app = createApp()
    .post('/form', { operationId: 'form', body: form, ...open }, urlencoded(), () => 1)
    .post('/text', { operationId: 'text', body: z.string(), ...open }, text(), () => 1);
  const client = await connect(await serve(app));
  expect(await call(client, 'form', { tags: [['a']] })).toEqual({
    text: expect.stringMatching(/^The list 'tags' contains a list/),
    isError: true,
  });
  expect(await call(client, 'text', { body: '\ud800' })).toEqual({
    text: expect.stringMatching(/half of a character/),
    isError: true,
  });
});
