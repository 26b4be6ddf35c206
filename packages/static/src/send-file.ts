import { basename, resolve, win32 } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AnyContext, NotFoundError } from '@fairlead/core';
import { throwTogether } from '@fairlead/core/extend';
import {
  boolean,
  describeValue,
  either,
  findOptionProblems,
  type Kinds,
  kind,
  oneOf,
} from '@fairlead/options';
import { create } from 'content-disposition';
import { deniedDotfile } from './errors.js';
import { CACHE_CONTROL, openFile, respondWithFile } from './file.js';
import { hasDotfile, splitPath } from './path.js';

/** Options of {@link sendFile} and {@link download}. */
export interface SendFileOptions {
  /**
   * The directory that the path must stay in. Pass it whenever a part of the path comes from a client. The
   * path is then relative to it. Default: every path is allowed.
   */
  readonly root?: string | URL;
  /** With `root`: how to treat names that start with a dot, as for `serveStatic`. Default `'ignore'`. */
  readonly dotfiles?: 'ignore' | 'allow' | 'deny';
  /** With `root`: whether symbolic links may lead out of it, as for `serveStatic`. Default `'follow'`. */
  readonly symlinks?: 'follow' | 'inside';
  /** Whether to send precompressed siblings, as for `serveStatic`. Default `false`. */
  readonly precompressed?: boolean;
  /** The value of `Cache-Control`, or `false` to omit it. Default `'no-cache'`. */
  readonly cacheControl?: string | false;
}

const isPath = (value: unknown): boolean =>
  (typeof value === 'string' && value !== '') ||
  (value instanceof URL && value.protocol === 'file:');

/** The kinds of the options that `serveStatic` also has. */
export const FILE_OPTIONS: Kinds<Omit<SendFileOptions, 'root'>> = {
  dotfiles: oneOf('ignore', 'allow', 'deny'),
  symlinks: oneOf('follow', 'inside'),
  precompressed: boolean,
  cacheControl: either(kind('a string without control characters', isHeaderValue), oneOf(false)),
};

const SEND_FILE_OPTIONS: Kinds<SendFileOptions> = {
  root: kind('a path or a file: URL', isPath),
  ...FILE_OPTIONS,
};

function isHeaderValue(value: unknown): boolean {
  // The characters that Node.js refuses in a header.
  return typeof value === 'string' && !/[^\t\x20-\x7e\x80-\xff]/.test(value);
}

/**
 * Responds with a file. Evaluates conditions and ranges like `serveStatic`. Opens the file before the
 * response starts, so that a file that cannot be read is an error response.
 *
 * A status and headers that are already set are kept. With a status other than 200, the whole file is sent,
 * such as a page for a 404.
 *
 * @param path - A path, relative to `root` or the working directory, or a `file:` URL. Decoded.
 * @throws {NotFoundError} 404, when there is no file, it is a directory or a pipe, or it is not in `root`.
 * @throws {BadRequestError} 400, when a path below `root` contains NUL.
 * @throws {ForbiddenError} 403, when the process may not read the file, or for a denied dotfile.
 * @throws {PreconditionFailedError} 412, when `If-Match` or `If-Unmodified-Since` is false.
 * @throws {HttpError} 416, when the range is outside the file; 500, when the file cannot be read.
 * @throws {SetupError} `INVALID_OPTION`, when an argument is invalid. Uncaught, it results in a 500 response.
 * @see RFC 9110 §13 (conditional requests), §14 (ranges)
 */
export async function sendFile(
  ctx: AnyContext,
  path: string | URL,
  options: SendFileOptions = {},
): Promise<void> {
  await respond('sendFile()', ctx, path, options);
}

/**
 * Responds with a file that browsers save instead of showing it. Does what {@link sendFile} does, and sets
 * `Content-Disposition`.
 *
 * @param path - Same as for {@link sendFile}.
 * @param name - The name for the saved file, of any characters. Folders are removed. Default: the name in
 *   `path`.
 * @throws The errors of {@link sendFile}.
 * @see RFC 6266; RFC 8187 for names that are not ASCII
 */
export async function download(
  ctx: AnyContext,
  path: string | URL,
  name?: string,
  options: SendFileOptions = {},
): Promise<void> {
  if (name !== undefined) assertName('download()', name);
  await respond('download()', ctx, path, options);
  attach(ctx, name ?? basename(path instanceof URL ? fileURLToPath(path) : path));
}

/**
 * Makes browsers save the response instead of showing it, such as a report that the handler creates. Sets
 * `Content-Disposition`.
 *
 * @param name - The name for the saved file, of any characters. Folders are removed.
 * @throws {SetupError} `INVALID_OPTION`, when `name` is not a file name. Uncaught, it results in a 500 response.
 * @see RFC 6266; RFC 8187 for names that are not ASCII
 */
export function attachment(ctx: AnyContext, name: string): void {
  assertName('attachment()', name);
  attach(ctx, name);
}

/** @throws {SetupError} `INVALID_OPTION`, when a value is not a file name. */
function assertName(call: string, name: unknown): void {
  if (typeof name === 'string' && name !== '') return;
  throwTogether([`${call} cannot use ${describeValue(name)} as name. Pass a file name.`]);
}

function attach(ctx: AnyContext, name: string): void {
  ctx.set('Content-Disposition', create(win32.basename(name.toWellFormed())));
}

async function respond(
  call: string,
  ctx: AnyContext,
  path: string | URL,
  options: SendFileOptions,
): Promise<void> {
  const problems = findOptionProblems(call, options, SEND_FILE_OPTIONS);
  if (!isPath(path) || (options?.root !== undefined && typeof path !== 'string')) {
    const fix = 'Pass a path or, without root, a file: URL.';
    problems.unshift(`${call} cannot use ${describeValue(path)} as path. ${fix}`);
  }
  throwTogether(problems);
  const { dotfiles = 'ignore', symlinks = 'follow', precompressed = false } = options;
  const { cacheControl = CACHE_CONTROL } = options;
  const root = options.root === undefined ? undefined : toPath(options.root);
  const full = root === undefined ? toPath(path) : below(root, String(path), dotfiles);
  const boundary = symlinks === 'inside' ? root : undefined;
  const file = full === undefined ? undefined : await openFile(full, full, boundary);
  if (full === undefined || typeof file !== 'object')
    throw new NotFoundError('There is no such file.');
  await respondWithFile(ctx, full, file, { boundary, precompressed, cacheControl });
}

function toPath(path: string | URL): string {
  return resolve(path instanceof URL ? fileURLToPath(path) : path);
}

/** Returns the absolute path of a file below a directory. Undefined if it is not below it, or is ignored. */
function below(
  root: string,
  path: string,
  dotfiles: 'ignore' | 'allow' | 'deny',
): string | undefined {
  const names = splitPath(path);
  if (names === undefined) return undefined;
  if (dotfiles !== 'allow' && hasDotfile(names)) {
    if (dotfiles === 'deny') throw deniedDotfile();
    return undefined;
  }
  return resolve(root, ...names);
}
