import type { Middleware } from '@fairlead/core';
import { declareMediaTypes, markFactories } from '@fairlead/options';
import { type MultipartOptions, resolveLimits } from './limits.js';
import { type FilePart, isMultipart, type Part, readParts } from './parts.js';

/** A file in memory. */
export interface UploadedFile {
  /** The file name sent by the client, without folders. Empty when the client sends none. */
  readonly fileName: string;
  /** The media type declared by the client. Default `application/octet-stream`. */
  readonly mediaType: string;
  /** The content of the file. */
  readonly bytes: Buffer;
}

/** A field or a file of a form. */
export type FormValue = string | UploadedFile;

/**
 * Reads `multipart/form-data` bodies, including files, into `ctx.body`: an object without a
 * prototype, which maps each name to a {@link FormValue}, or to an array of them when the name is
 * repeated. An empty body leaves `ctx.body` undefined. Bodies of other media types, and bodies that
 * have been read already, are left alone. A form uses up to `totalSize` bytes of memory.
 *
 * The middleware rejects a malformed, truncated or forbidden body with 400, a body that exceeds a
 * limit with 413, and a compressed one with 415.
 *
 * @throws {SetupError} `INVALID_LIMIT`, when a limit is unknown or invalid; `INVALID_OPTION`, when another
 *   option is.
 * @see RFC 7578
 */
export function multipart(options: MultipartOptions = {}): Middleware {
  const limits = resolveLimits('multipart', options);
  const middleware: Middleware = function multipart(ctx, next) {
    // In a route, `ctx.body` throws for the body that is to be read here.
    if (ctx.req.readableDidRead || !ctx.hasBody || !isMultipart(ctx)) return next();
    return readForm(readParts(ctx, limits)).then((form) => {
      ctx.body = form;
      return next();
    });
  };
  return declareMediaTypes(middleware, ['multipart/form-data']);
}

markFactories(multipart);

async function readForm(
  source: AsyncIterable<Part>,
): Promise<Record<string, FormValue | FormValue[]>> {
  const form: Record<string, FormValue | FormValue[]> = Object.create(null);
  for await (const part of source) {
    const value = part.kind === 'field' ? part.value : await readFile(part);
    const earlier = form[part.name];
    if (Array.isArray(earlier)) earlier.push(value);
    else form[part.name] = earlier === undefined ? value : [earlier, value];
  }
  return form;
}

async function readFile(part: FilePart): Promise<UploadedFile> {
  const { fileName, mediaType, stream } = part;
  return { fileName, mediaType, bytes: Buffer.concat(await stream.toArray()) };
}
