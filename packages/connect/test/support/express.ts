import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { onTestFinished } from 'vitest';

const require = createRequire(import.meta.url);

/** The two versions of Express that applications use. */
export const EXPRESS: readonly (readonly [name: string, create: typeof express])[] = [
  ['Express 4', require('old-express')],
  ['Express 5', express],
];

/** Serves an Express application by itself for the running test, and returns its URL. */
export async function serveExpress(app: express.Express): Promise<string> {
  const server = app.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
