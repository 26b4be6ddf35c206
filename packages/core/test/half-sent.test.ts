import { connectRaw } from '@fairlead/test-support/raw-connection';
import { expect, it } from 'vitest';
import { createApp, text } from '../src/index.js';
import { refused } from './support/refused.js';
import { serve } from './support/serve.js';

const echo = () => createApp().use(text(), (ctx) => ctx.send(`read ${String(ctx.body)}`));
const whenDone = { timeout: Number.POSITIVE_INFINITY };
const REQUEST =
  'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello';
const LAST_ANSWER = /^HTTP\/1\.1 200 .*\r\nConnection: close\r\n.*\r\n\r\nread hello$/s;

it.each([
  ['its request line', 6],
  ['its headers', 24],
])('close() waits for a request that is sent up to the middle of %s', async (_, half) => {
  const server = await serve(echo());
  const [sending, idle] = [connectRaw(server.port), connectRaw(server.port)];
  idle.socket.write(REQUEST);
  await idle.responses(1);
  await new Promise((sent) => sending.socket.write(REQUEST.slice(0, half), sent));
  const closed = server.close(whenDone);
  await refused(server.port);
  // The server ends the connections on which nothing is on its way, and with them no other.
  await idle.ended();
  sending.socket.write(REQUEST.slice(half));
  expect(await sending.ended()).toMatch(LAST_ANSWER);
  await closed;
});

it('close() waits for a body that is half sent', async () => {
  const server = await serve(echo());
  const { socket, ended } = connectRaw(server.port);
  await new Promise((sent) => socket.write(REQUEST.slice(0, -2), sent));
  const closed = server.close(whenDone);
  await refused(server.port);
  socket.write(REQUEST.slice(-2));
  expect(await ended()).toMatch(LAST_ANSWER);
  await closed;
});

it('close() cuts a request that is half sent at the deadline', async () => {
  const server = await serve(echo());
  const { socket, ended } = connectRaw(server.port);
  await new Promise((sent) => socket.write(REQUEST.slice(0, 24), sent));
  await server.close({ timeout: 10 });
  expect(await ended()).toBe('');
});
