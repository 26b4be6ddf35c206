import { open } from 'node:fs/promises';
import { type IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Context, HeaderValue } from '@fairlead/core';
import send from 'send';
import { type SendError, toHttpError } from './errors.js';

/** The resolved options of `serveStatic`. */
export interface LookupOptions {
  /** The absolute path of the directory. */
  readonly root: string;
  readonly index: string | false;
  readonly dotfiles: 'ignore' | 'allow' | 'deny';
  readonly cacheControl: string | false;
}

/** A file, with the status and headers of its response. */
export interface FoundFile {
  /** The absolute path. */
  readonly file: string;
  /** 200, 206 or 304. */
  readonly status: number;
  readonly headers: ReadonlyMap<string, HeaderValue>;
}

/** Headers that keep the value set by earlier middleware. */
const OVERRIDABLE = ['Accept-Ranges', 'Cache-Control', 'Content-Type', 'ETag', 'Last-Modified'];

/** All headers that a response receives. */
const FILE_HEADERS = [...OVERRIDABLE, 'Content-Length', 'Content-Range'];

/** An unsent response that receives the status and headers from `send`. */
class Draft extends ServerResponse {
  override end(): this {
    this.emit('drafted');
    return this;
  }
}

/**
 * Finds a file and evaluates conditions and ranges with `send`. Does not open the file.
 *
 * @param path - The percent-encoded path below the root, with a leading slash.
 * @returns Undefined when there is no file, or `'directory'` for a directory without a trailing slash.
 * @throws {HttpError} 400, 403, 412 or 416, as `send` decides. 500 when the file system fails.
 * @see RFC 9110 §13.2.2 (preconditions), §14.2 (ranges)
 */
export function negotiate(
  ctx: Context,
  path: string,
  { root, index, dotfiles, cacheControl }: LookupOptions,
): Promise<FoundFile | 'directory' | undefined> {
  // For HEAD, `send` writes the same status and headers without opening the file.
  const req: IncomingMessage = Object.create(ctx.req, { method: { value: 'HEAD' } });
  const draft = new Draft(req);
  if (cacheControl !== false) draft.setHeader('Cache-Control', cacheControl);
  for (const name of OVERRIDABLE) {
    const value = ctx.responseHeaders.get(name);
    if (value !== undefined) draft.setHeader(name, value);
  }
  return new Promise((resolve, reject) => {
    let found = '';
    draft.once('drafted', () => {
      const headers = new Map<string, HeaderValue>();
      for (const name of FILE_HEADERS) {
        const value = draft.getHeader(name);
        if (value !== undefined) headers.set(name, value);
      }
      resolve({ file: found, status: draft.statusCode, headers });
    });
    send(req, path, { root, index, dotfiles, cacheControl: false })
      .on('file', (file, stat) => {
        found = file;
        // Opening a pipe or a device can block.
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

/**
 * Opens the part of a file that the response sends. The stream closes the file when it ends or is
 * destroyed.
 *
 * @param method - The request method. A HEAD request opens nothing.
 * @returns A stream of `Content-Length` bytes, which is empty without that header. Undefined when the
 *   file has been deleted since it was found.
 * @throws {HttpError} 500, when the file cannot be opened.
 */
export async function openBody(
  { file, headers }: FoundFile,
  method: string,
): Promise<Readable | undefined> {
  const length = Number(headers.get('Content-Length') ?? 0);
  if (length === 0 || method === 'HEAD') return Readable.from([]);
  const range = /^bytes (\d+)-/.exec(String(headers.get('Content-Range')));
  const start = Number(range?.[1] ?? 0);
  try {
    const handle = await open(file);
    return handle.createReadStream({ start, end: start + length - 1 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw toHttpError(error as Error, file);
  }
}
