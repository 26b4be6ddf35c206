import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Context, HeaderValue } from '@fairlead/core';
import send from 'send';
import { type SendError, toHttpError } from './errors.js';

/** How files are looked for. */
export interface Lookup {
  /** Absolute path of the directory. */
  readonly root: string;
  readonly index: string | false;
  readonly dotfiles: 'ignore' | 'allow' | 'deny';
  readonly cacheControl: string | false;
}

/** A file, and what the answer says of it. */
export interface Found {
  /** Absolute path. */
  readonly file: string;
  /** 200, 206 or 304. */
  readonly status: number;
  readonly headers: ReadonlyMap<string, HeaderValue>;
}

/** Headers that stay as they are when they were set before. */
const PRESET = ['Accept-Ranges', 'Cache-Control', 'Content-Type', 'ETag', 'Last-Modified'];

/** Every header that an answer gains. */
const OWN = [...PRESET, 'Content-Length', 'Content-Range'];

/** A response that is never sent: `send` writes its head here. */
class Draft extends ServerResponse {
  override end(): this {
    this.emit('drafted');
    return this;
  }
}

/**
 * Finds a file, and settles with `send` what the answer to a conditional or range request is. Reads
 * nothing of the file.
 *
 * @param path - Percent-encoded path below the root, with a leading slash.
 * @returns Undefined when there is no such file; `'directory'` for one asked for without a slash.
 * @throws {HttpError} 400, 403, 412 or 416, as `send` decides; 500 when the file system fails.
 * @see RFC 9110 §13.2.2 (preconditions), §14.2 (ranges)
 */
export function negotiate(
  ctx: Context,
  path: string,
  { root, index, dotfiles, cacheControl }: Lookup,
): Promise<Found | 'directory' | undefined> {
  // To HEAD, `send` gives the same head and opens no file.
  const req: IncomingMessage = Object.create(ctx.req, { method: { value: 'HEAD' } });
  const draft = new Draft(req);
  if (cacheControl !== false) draft.setHeader('Cache-Control', cacheControl);
  for (const name of PRESET) {
    const value = ctx.responseHeaders.get(name);
    if (value !== undefined) draft.setHeader(name, value);
  }
  return new Promise((resolve, reject) => {
    let found = '';
    draft.once('drafted', () => {
      const headers = new Map<string, HeaderValue>();
      for (const name of OWN) {
        const value = draft.getHeader(name);
        if (value !== undefined) headers.set(name, value);
      }
      resolve({ file: found, status: draft.statusCode, headers });
    });
    send(req, path, { root, index, dotfiles, cacheControl: false })
      .on('file', (file, stat) => {
        found = file;
        // A pipe or a device is no file to serve; opening one may block.
        if (!stat.isFile()) resolve(undefined);
      })
      .on('directory', () => resolve('directory'))
      .on('error', (error: SendError) => {
        if (error.status === 404) resolve(undefined);
        else reject(toHttpError(error, path));
      })
      .pipe(draft);
  });
}
