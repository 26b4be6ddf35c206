import { type Application, createApp, errorHandler, type Middleware } from '@fairlead/core';
import { type Part, parts } from '../../src/index.js';
import { HEADERS } from './form.js';

/** 1 MiB of text. */
export const MEGABYTE = 'x'.repeat(1024 ** 2);

/** Removes the limits on sizes. */
export const limits = { totalSize: Infinity, fileSize: Infinity };

/** Returns a part with the content of its file, without its headers. */
export async function describePart(part: Part): Promise<unknown> {
  const { kind, name } = part;
  if (part.kind !== 'file') return { kind, name, value: part.value };
  const { fileName, mediaType, stream } = part;
  const text = Buffer.concat(await stream.toArray()).toString();
  return { kind, name, fileName, mediaType, text };
}

/** Responds with the parts of a form. */
export const describeAll: Middleware = async (ctx) => {
  const described: unknown[] = [];
  for await (const part of parts(ctx, { limits })) described.push(await describePart(part));
  ctx.json(described);
};

/** Creates an application with one handler. */
export function create(handler: Middleware): Application {
  return createApp().use(errorHandler(), handler);
}

/** Returns the request line and headers of a form of the given length. */
export function head(length: number): string {
  return `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: ${HEADERS['Content-Type']}\r\nContent-Length: ${length}\r\n\r\n`;
}
