import { once } from 'node:events';
import { type IncomingHttpHeaders, type RequestOptions, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import zlib from 'node:zlib';
import { type Application, type ListenOptions, listen, type Server } from '@fairlead/core';
import { onTestFinished } from 'vitest';

/** Listens on a free port until the test finishes. */
export async function serve(app: Application, options: ListenOptions = {}): Promise<Server> {
  const server = await listen(app, 0, { host: '127.0.0.1', ...options });
  onTestFinished(() => server.close({ timeout: 0 }));
  return server;
}

/** A response as it was sent: `bytes` are still compressed. */
export interface Reply {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** Sends a request to an application, which listens for it alone. */
export async function send(
  app: Application,
  headers: Record<string, string> = {},
  options: RequestOptions = {},
): Promise<Reply> {
  const { url } = await serve(app);
  return sendTo(url, headers, options);
}

/** Sends a request with node:http, which decodes nothing. */
export async function sendTo(
  url: string,
  headers: Record<string, string>,
  options: RequestOptions = {},
): Promise<Reply> {
  const sent = request(url, { ...options, headers, agent: false }).end();
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, headers: response.headers, bytes: await buffer(response) };
}

/** Decodes the body of a response as text. */
export function decode(reply: Pick<Reply, 'headers' | 'bytes'>): string {
  return String(decodeBytes(reply));
}

/** Decodes the body of a response. */
export function decodeBytes({ headers, bytes }: Pick<Reply, 'headers' | 'bytes'>): Buffer {
  const decoders: Record<string, (bytes: Buffer) => Buffer> = {
    gzip: zlib.gunzipSync,
    br: zlib.brotliDecompressSync,
    zstd: zlib.zstdDecompressSync,
  };
  const decoder = decoders[headers['content-encoding'] ?? ''];
  return decoder === undefined ? bytes : decoder(bytes);
}
