import { connectRaw, exchange } from '@fairlead/test-support/raw-connection';
import { expect, it } from 'vitest';
import { createApp } from '../src/index.js';
import { serve } from './support/serve.js';

/** An application that responds immediately and records the requested paths. */
function createWitness() {
  const paths: string[] = [];
  const app = createApp().use((ctx) => {
    paths.push(ctx.path);
    if (ctx.path === '/closing') ctx.set('Connection', 'close');
    ctx.send('seen');
  });
  return { app, paths };
}

const statusesOf = (reply: string) => reply.match(/^HTTP\/1\.1 \d+/gm);

it('a request with a response gets no second one when its body is invalid', async () => {
  const { port } = await serve(createWitness().app);
  const { socket, responses, ended } = connectRaw(port);
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
  await responses(1);
  socket.write('rubbish\r\n');
  expect(statusesOf(await ended())).toEqual(['HTTP/1.1 200']);
});

it.each([
  ['a refusal', 'GET /first HTTP/1.1\r\n\r\n', 'HTTP/1.1 400'],
  [
    'an expectation that is not met',
    'GET /first HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n',
    'HTTP/1.1 417',
  ],
  [
    'an unread body',
    'POST /first HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nab',
    'HTTP/1.1 200',
  ],
  ['a handler that closes', 'GET /closing HTTP/1.1\r\nHost: a\r\n\r\n', 'HTTP/1.1 200'],
])('a request after %s, which ends the connection, does not run', async (_, first, status) => {
  const { app, paths } = createWitness();
  const { port } = await serve(app);
  const reply = await exchange(port, `${first}POST /behind HTTP/1.1\r\nHost: a\r\n\r\n`);
  expect(statusesOf(reply)).toEqual([status]);
  expect(paths).not.toContain('/behind');
});

it('invalid bytes after a refusal get no second refusal', async () => {
  const { port } = await serve(createWitness().app);
  const reply = await exchange(port, 'GET / HTTP/1.1\r\n\r\nrubbish\r\n\r\n');
  expect(statusesOf(reply)).toEqual(['HTTP/1.1 400']);
});

it('an unsupported expectation is refused with a problem', async () => {
  const { port } = await serve(createWitness().app);
  const reply = await exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n');
  expect(reply).toContain('\r\nConnection: close\r\n');
  expect(JSON.parse(reply.slice(reply.indexOf('\r\n\r\n')))).toMatchObject({
    status: 417,
    detail:
      "The server does not support this expectation. Send 'Expect: 100-continue' or no Expect header.",
  });
});

it.each([
  ['keeps the connection', '', 'keep-alive'],
  ['closes the connection', 'Connection: close\r\n', 'close'],
])('a handler that reads half of a body responds, and %s', async (_, line, connection) => {
  const app = createApp().use(async (ctx) => {
    for await (const _chunk of ctx.bodyStream()) break;
    if (ctx.get('Connection') === 'close') ctx.set('Connection', 'close');
    ctx.send('enough');
  });
  const { port } = await serve(app);
  const { socket, responses } = connectRaw(port);
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\n${line}Content-Length: 4\r\n\r\nhalf`);
  const [reply] = await responses(1);
  expect(reply).toMatch(new RegExp(`^HTTP/1.1 200 .*Connection: ${connection}\r\n.*enough$`, 's'));
});
