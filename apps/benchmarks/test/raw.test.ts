import { expect, it } from 'vitest';
import { startServer } from '../src/http/loaded-server.js';
import { BASELINE } from '../src/http/servers.js';

it.each([
  ['one chunk', 1],
  ['many chunks', 1_000_000],
])('raw reads a body of %s', async (_, length) => {
  const server = await startServer(BASELINE.program('post'), process.execPath);
  const body = JSON.stringify({ text: 'é'.repeat(length) });
  const headers = { 'Content-Type': 'application/json' };
  const url = `http://127.0.0.1:${server.port}/orders`;
  const response = await fetch(url, { method: 'POST', body, headers });
  expect(await response.text()).toBe(body);
  await server.stop();
});
