import { createApp, json, listen, type Middleware } from '@fairlead/core';
import { expect, it } from 'vitest';
import { mcp } from '../src/index.js';
import { message, post, serve } from './support/serve.js';

const createUsers = (...middleware: readonly Middleware[]) =>
  createApp()
    .use(...middleware)
    .get(
      '/users',
      { operationId: 'listUsers', tool: true, public: 'Everyone may call it.' },
      () => ['ada'],
    );

const callUsers = message('tools/call', { name: 'listUsers', arguments: {} });

it('responds to a single message, without a session', async () => {
  const { status, body, headers } = await post(await serve(createUsers()), callUsers);
  expect(status).toBe(200);
  expect(headers.get('Mcp-Session-Id')).toBeNull();
  expect(body).toMatchObject({
    jsonrpc: '2.0',
    id: 1,
    result: { content: [{ type: 'text', text: '["ada"]' }], resultType: 'complete' },
  });
});

it('describes the server', async () => {
  const { body } = await post(await serve(createUsers()), message('server/discover'));
  expect(body).toMatchObject({
    result: {
      supportedVersions: expect.arrayContaining(['2026-07-28']),
      capabilities: { tools: {} },
    },
  });
});

it('rejects batches', async () => {
  const { status } = await post(await serve(createUsers()), [callUsers, callUsers]);
  expect(status).toBe(400);
});

it('rejects another version of the protocol with those that it supports', async () => {
  const body = message('tools/list', {}, '2099-01-01');
  const headers = { 'MCP-Protocol-Version': '2099-01-01' };
  expect(await post(await serve(createUsers()), body, headers)).toMatchObject({
    status: 400,
    body: { error: { code: -32022, data: { supported: ['2026-07-28'] } } },
  });
});

it.each([
  ['a version that differs', { 'MCP-Protocol-Version': '2025-11-25' }],
  ['a method that differs', { 'Mcp-Method': 'tools/list' }],
  ['a name that differs', { 'Mcp-Name': 'dropUsers' }],
])('rejects headers with %s', async (_, headers) => {
  expect(await post(await serve(createUsers()), callUsers, headers)).toMatchObject({
    status: 400,
    body: { error: { code: -32020 } },
  });
});

it.each([
  ['a page of another site', 'https://evil.example', 403],
  ['a page of the same host, as after DNS rebinding', 'same', 403],
  ['a sandboxed page', 'null', 403],
  ['a page of an origin of the options', 'https://app.example.com', 200],
])('a request of %s', async (_, given, status) => {
  const server = await serve(createUsers(), { origins: ['https://app.example.com'] });
  const Origin = given === 'same' ? server.url : given;
  expect((await post(server, callUsers, { Origin })).status).toBe(status);
});

it.each(['GET', 'DELETE', 'PUT'])('responds to %s with 405', async (method) => {
  const { url } = await serve(createUsers());
  const response = await fetch(new URL('/mcp', url), { method });
  expect([response.status, response.headers.get('Allow')]).toEqual([405, 'OPTIONS, POST']);
});

it.each([
  ['malformed JSON', '{"jsonrpc":', {}, 400],
  ['no JSON', 'hello', { 'Content-Type': 'text/plain' }, 415],
  ['null', 'null', {}, 400],
  ['a number', '1', {}, 400],
  ['more than a mebibyte', `"${'x'.repeat(1_100_000)}"`, {}, 413],
  ['a prototype', `{"__proto__":{"method":"tools/list"}}`, {}, 400],
  [
    'a prototype in the arguments',
    JSON.stringify(callUsers).replace('"arguments":{}', '"arguments":{"__proto__":{"a":1}}'),
    {},
    400,
  ],
  ['an unknown method', message('tools/drop'), {}, 404],
  ['a method for resources', message('resources/list'), {}, 404],
  [
    'arguments that are no object',
    message('tools/call', { name: 'listUsers', arguments: [1] }),
    {},
    200,
  ],
])('rejects %s', async (_, body, headers, status) => {
  const own = await post(await serve(createUsers()), body, headers);
  const parsed = await post(await serve(createUsers(json())), body, headers);
  expect(own.status).toBe(status);
  expect(own.body).not.toHaveProperty('result');
  expect(parsed.status).toBe(status);
});

it('refuses subscriptions, because the tools never change', async () => {
  const body = message('subscriptions/listen', { notifications: { toolsListChanged: true } });
  expect(await post(await serve(createUsers()), body)).toMatchObject({ body: { error: {} } });
});

it('reads the body that a parser of the application has read', async () => {
  expect(await post(await serve(createUsers(json())), callUsers)).toMatchObject({ status: 200 });
});

it('several servers of one application have the same tools', async () => {
  const app = createUsers();
  await app.plugin(mcp({ name: 'other', version: '1.0.0', path: '/agents/mcp' }));
  const server = await serve(app);
  const { body } = await post(server, message('tools/list'));
  expect(body).toMatchObject({ result: { tools: [{ name: 'listUsers' }] } });
  const other = await fetch(new URL('/agents/mcp', server.url), { method: 'GET' });
  expect(other.status).toBe(405);
});

it('works without a socket', async () => {
  const app = createUsers();
  await app.plugin(mcp({ name: 'users', version: '1.0.0' }));
  const response = await app.request('/mcp', {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'listUsers',
    },
    body: JSON.stringify(callUsers),
  });
  expect(await response.json()).toMatchObject({ result: { content: [{ text: '["ada"]' }] } });
  await app.close();
});

it('closes with the application', async () => {
  const app = createUsers();
  await app.plugin(mcp({ name: 'users', version: '1.0.0' }));
  const server = await listen(app, 0);
  await server.close();
  await expect(app.close()).resolves.toBeUndefined();
});
