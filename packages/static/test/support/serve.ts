import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Application, createApp, errorHandler, listen, notFoundHandler } from '@fairlead/core';
import { onTestFinished } from 'vitest';
import { type StaticOptions, serveStatic } from '../../src/index.js';
import type { Folder } from './folder.js';

/** A complete response. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends a request without normalizing its target. The default method is GET. */
export type Get = (
  target: string,
  headers?: OutgoingHttpHeaders,
  method?: string,
) => Promise<Reply>;

/** Creates an application that serves a folder and responds with 404 to other requests. */
export function serving({ root }: Folder, options?: StaticOptions): Application {
  return createApp()
    .use(errorHandler({ onError: () => undefined }), serveStatic(root, options))
    .use(notFoundHandler());
}

/** Listens on a free port until the test finishes, and returns the port. */
export async function serve(app: Application): Promise<number> {
  const server = await listen(app, 0, { host: '127.0.0.1' });
  onTestFinished(() => server.close({ timeout: 0 }));
  return server.port;
}

/** Serves an application until the test finishes, and returns a function that sends requests to it. */
export async function getter(app: Application): Promise<Get> {
  const port = await serve(app);
  return (target, headers = {}, method = 'GET') =>
    new Promise((resolve, reject) => {
      request({ port, host: '127.0.0.1', method, path: target, headers, agent: false })
        .once('error', reject)
        .once('response', (incoming) => {
          const { statusCode: status = 0, headers } = incoming;
          text(incoming).then((text) => resolve({ status, headers, text }), reject);
        })
        .end();
    });
}
