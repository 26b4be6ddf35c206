import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import type { Application } from '../../src/index.js';
import { serve } from './serve.js';

/** A complete response. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** Parses the body as JSON. */
  json(): unknown;
}

/** Options of a request. */
export interface SendOptions {
  readonly headers?: OutgoingHttpHeaders;
  /** Several chunks are sent with `Transfer-Encoding: chunked`. */
  readonly body?: string | Uint8Array | readonly Uint8Array[];
}

/** Sends one request with its target unchanged. */
export type Send = (method: string, target: string, options?: SendOptions) => Promise<Reply>;

/** Makes an application listen for one test, and returns a function that sends requests to it. */
export async function sender(app: Application): Promise<Send> {
  const { port } = await serve(app);
  return (method, target, options = {}) => sendTo(port, method, target, options);
}

function sendTo(
  port: number,
  method: string,
  target: string,
  { headers = {}, body }: SendOptions,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ port, method, path: target, headers, agent: false });
    outgoing.once('error', reject);
    outgoing.once('response', (incoming) => {
      incoming.toArray().then((chunks: Buffer[]) => {
        const bytes = Buffer.concat(chunks);
        const text = bytes.toString();
        const status = incoming.statusCode ?? 0;
        resolve({
          status,
          headers: incoming.headers,
          bytes,
          text,
          json: () => JSON.parse(text),
        });
      }, reject);
    });
    if (Array.isArray(body)) {
      outgoing.setHeader('Transfer-Encoding', 'chunked');
      for (const chunk of body) outgoing.write(chunk);
      outgoing.end();
    } else outgoing.end(body);
  });
}
