import type { Middleware } from '@fairlead/core';
import { type MultipartOptions, resolveLimits } from './limits.js';
import { type FilePart, isMultipart, type Part, readParts } from './parts.js';

/** A file that was read into memory. */
export interface UploadedFile {
  /** The name that the client gives the file, without folders; empty when it gives none. */
  readonly fileName: string;
  /** The media type that the client claims; `application/octet-stream` when it claims none. */
  readonly mediaType: string;
  /** The content. */
  readonly bytes: Buffer;
}

/** What stands under one name of a form. */
export type FormValue = string | UploadedFile;

/**
 * Reads `multipart/form-data` bodies into `ctx.body`, files included: an object without prototype, in
 * which a name that stands once has a {@link FormValue}, and one that is repeated an array of them.
 * An empty body leaves it undefined; a body of another media type is left unread for another parser,
 * and one that was read before stays as it is. A form takes up to `totalSize` bytes of memory.
 *
 * The middleware answers 400 to a malformed, truncated or forbidden body, 413 to one that exceeds a
 * limit, 415 to one that is compressed.
 *
 * @throws {SetupError} `INVALID_LIMIT`, at the call, when a limit cannot be read.
 * @see RFC 7578
 */
export function multipart(options: MultipartOptions = {}): Middleware {
  const limits = resolveLimits(options);
  return function multipart(ctx, next) {
    const isRead = ctx.body !== undefined || ctx.req.readableDidRead;
    if (isRead || !ctx.hasBody || !isMultipart(ctx)) return next();
    return readForm(readParts(ctx, limits)).then((form) => {
      ctx.body = form;
      return next();
    });
  };
}

async function readForm(
  source: AsyncIterable<Part>,
): Promise<Record<string, FormValue | FormValue[]>> {
  const form: Record<string, FormValue | FormValue[]> = Object.create(null);
  for await (const part of source) {
    const value = part.kind === 'field' ? part.value : await readFile(part);
    const present = form[part.name];
    if (Array.isArray(present)) present.push(value);
    else form[part.name] = present === undefined ? value : [present, value];
  }
  return form;
}

async function readFile(part: FilePart): Promise<UploadedFile> {
  const { fileName, mediaType, stream } = part;
  return { fileName, mediaType, bytes: Buffer.concat(await stream.toArray()) };
}
