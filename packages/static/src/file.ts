import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { extname, sep } from 'node:path';
import type { AnyContext, HeaderValue } from '@fairlead/core';
import mimeTypes from 'mime-types';
import { type ByteRange, isUnmodified, readRange } from './conditions.js';
import { unreadable } from './errors.js';
import { acceptedEncodings, ENCODINGS } from './negotiate.js';

/** Where files may be, and how they are sent. */
export interface FileRules {
  /** The directory that symbolic links must not leave. Undefined to follow every link. */
  readonly boundary: string | undefined;
  readonly precompressed: boolean;
  readonly cacheControl: string | false;
}

/**
 * The default of `cacheControl`. Unlike `public`, it doesn't let shared caches store responses to requests with
 * `Authorization`. Unlike `max-age=0`, it never lets caches send a file without asking, such as during an outage.
 *
 * @see RFC 9111 §3.5, §4.2.4, §5.2.2.4
 */
export const CACHE_CONTROL = 'no-cache';

/** An open file. The owner closes the handle. */
export interface OpenFile {
  readonly handle: FileHandle;
  readonly stats: Stats;
}

/** Errors that mean that there is no file. Opening a socket is an ENXIO. */
const MISSING: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ENXIO']);

/**
 * Opens a regular file.
 *
 * @param path - The absolute path.
 * @param name - The path for error messages.
 * @param boundary - The directory that symbolic links must not leave, if any.
 * @returns `'directory'` for a directory. Undefined when there is nothing, or something else.
 * @throws {HttpError} 403, when the process may not read the file; 500 for another error.
 */
export async function openFile(
  path: string,
  name: string,
  boundary: string | undefined,
): Promise<OpenFile | 'directory' | undefined> {
  let handle: FileHandle | undefined;
  let isOpen = false;
  try {
    // Without O_NONBLOCK, opening a pipe waits for a writer.
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await handle.stat();
    if (boundary !== undefined && !(await isInside(path, stats, boundary))) return undefined;
    isOpen = stats.isFile();
    if (isOpen) return { handle, stats };
    return stats.isDirectory() ? 'directory' : undefined;
  } catch (error) {
    if (MISSING.has((error as NodeJS.ErrnoException).code)) return undefined;
    throw unreadable(name, error);
  } finally {
    if (!isOpen) await handle?.close();
  }
}

/** Whether an open file is in a directory after all symbolic links, even if a link changes meanwhile. */
async function isInside(path: string, stats: Stats, boundary: string): Promise<boolean> {
  const [target, directory] = await Promise.all([realpath(path), realpath(boundary)]);
  if (target !== directory && !target.startsWith(directory + sep)) return false;
  const { ino, dev } = await stat(target);
  return ino === stats.ino && dev === stats.dev;
}

/** Returns the media type of a file, with its charset. */
export function contentTypeOf(path: string): string | undefined {
  return mimeTypes.contentType(extname(path)) || undefined;
}

/** Bytes, because text would add a charset to the type. */
const NOTHING = new Uint8Array();

/**
 * Records the response for an open file: a precompressed sibling, conditions, ranges and headers. Closes
 * the file, or passes it on to the response.
 *
 * The status and the headers that are already set take precedence. With a status other than 200, the whole
 * file is sent without conditions and ranges.
 *
 * @param path - The absolute path of the file.
 * @param headersOf - Returns further headers, which replace those that are set.
 * @throws {HttpError} 412 or 416, when a precondition or range fails; 500, when a sibling cannot be read.
 */
export async function respondWithFile(
  ctx: AnyContext,
  path: string,
  original: OpenFile,
  rules: FileRules,
  headersOf: (stats: Stats) => Readonly<Record<string, HeaderValue>> = () => ({}),
): Promise<void> {
  let { handle } = original;
  let isSent = false;
  try {
    const sibling = rules.precompressed ? await openSibling(ctx, path, rules) : undefined;
    if (sibling !== undefined) {
      await handle.close();
      handle = sibling.handle;
    }
    const { size, mtime } = (sibling ?? original).stats;
    const version = `${size.toString(16)}-${mtime.getTime().toString(16)}`;
    const all = new Map<string, HeaderValue>([
      ['Accept-Ranges', 'bytes'],
      ['Content-Type', contentTypeOf(path) ?? 'application/octet-stream'],
      ['Last-Modified', mtime.toUTCString()],
      ['ETag', `W/"${version}${sibling === undefined ? '' : `-${sibling.encoding}`}"`],
    ]);
    if (rules.cacheControl !== false) all.set('Cache-Control', rules.cacheControl);
    for (const [name, value] of all) all.set(name, ctx.responseHeaders.get(name) ?? value);
    for (const [name, value] of Object.entries(headersOf(original.stats))) {
      const known = [...all.keys()].find((one) => one.toLowerCase() === name.toLowerCase());
      all.set(known ?? name, value);
    }
    const range = negotiate(ctx, size, all);
    for (const [name, value] of all) ctx.set(name, value);
    if (rules.precompressed) ctx.append('Vary', 'Accept-Encoding');
    if (sibling !== undefined) ctx.set('Content-Encoding', sibling.encoding);
    if (range === 'unmodified') {
      ctx.status = 304;
      ctx.send('');
      return;
    }
    const { start, end } = range ?? { start: 0, end: size - 1 };
    ctx.set('Content-Length', end - start + 1);
    if (range !== undefined) {
      ctx.status = 206;
      ctx.set('Content-Range', `bytes ${start}-${end}/${size}`);
    }
    isSent = ctx.method !== 'HEAD' && size > 0;
    ctx.send(isSent ? handle.createReadStream({ start, end }) : NOTHING);
  } finally {
    if (!isSent) await handle.close();
  }
}

/** RFC 9110 §13.2.1, §14.2; RFC 10008 §2.6, §2.8 */
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'QUERY']);

/** Evaluates the conditions and the range of a request, which apply to successful reads only. */
function negotiate(
  ctx: AnyContext,
  size: number,
  headers: ReadonlyMap<string, HeaderValue>,
): ByteRange | 'unmodified' | undefined {
  const { method, status } = ctx;
  if (!READS.has(method) || status !== 200) return undefined;
  const current = {
    etag: String(headers.get('ETag')),
    lastModified: Date.parse(String(headers.get('Last-Modified'))),
  };
  if (isUnmodified(ctx, current)) return 'unmodified';
  // Range is only defined for GET and QUERY.
  if (method === 'HEAD' || headers.get('Accept-Ranges') === 'none') return undefined;
  return readRange(ctx, size, current);
}

/** Opens the precompressed sibling of a file that the client prefers, if there is one. */
async function openSibling(
  ctx: AnyContext,
  path: string,
  { boundary }: FileRules,
): Promise<(OpenFile & { readonly encoding: string }) | undefined> {
  for (const encoding of acceptedEncodings(ctx.get('Accept-Encoding'))) {
    const sibling = `${path}${ENCODINGS.get(encoding)}`;
    const file = await openFile(sibling, sibling, boundary);
    if (typeof file === 'object') return { ...file, encoding };
  }
  return undefined;
}
