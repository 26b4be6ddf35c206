import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { createApp } from '@fairlead/core';
import { serve } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import { getRequestIP, H3, serve as serveH3 } from 'h3';
import { Hono } from 'hono';
import { expect, it, onTestFinished } from 'vitest';
import { workspace } from './support/project.js';

const app = createApp().get('/', (ctx) => ctx.ip);
const page = await readFile(join(workspace, 'docs/runtimes.md'), 'utf8');

/** Compiles the line of the page for a server. */
function lineFor(server: string, parameter: string, helpers: object): (given: unknown) => Response {
  const line = new RegExp(`^- ${server}: \`(.*)\`$`, 'm').exec(page)?.[1];
  const names = ['app', ...Object.keys(helpers)];
  const create = new Function(...names, `return (${parameter}) => ${line}`);
  return create(app, ...Object.values(helpers));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

it.each<[string, (port: number) => unknown]>([
  [
    'Hono on Node.js',
    (port) => {
      const hono = new Hono().all('*', lineFor('Hono on Node.js', 'c', { getConnInfo }));
      const server = serve({ fetch: hono.fetch, port });
      onTestFinished(() => void server.close());
      return once(server, 'listening');
    },
  ],
  [
    'h3',
    (port) => {
      const h3 = new H3().all('/**', lineFor('h3', 'event', { getRequestIP }));
      const server = serveH3(h3, { port, silent: true });
      onTestFinished(() => server.close(true));
      return server.ready();
    },
  ],
])('inside %s, the line of the page tells the address of the client', async (_server, listen) => {
  const port = await freePort();
  await listen(port);
  const localAddress = '127.0.0.7';

  const [response] = await once(
    request({ port, host: '127.0.0.1', localAddress }).end(),
    'response',
  );

  expect(await json(response)).toBe(localAddress);
});
