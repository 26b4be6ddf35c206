import type { Readable } from 'node:stream';
import { MIMEType } from 'node:util';
import {
  BadRequestError,
  type Context,
  InternalServerError,
  UnsupportedMediaTypeError,
} from '@fairlead/core';
import { decodeUtf8 } from './disposition.js';
import { type Entry, FormReader } from './form-reader.js';
import {
  assertWithin,
  type MultipartLimits,
  type MultipartOptions,
  resolveLimits,
} from './limits.js';

/** A field of a form. */
export interface FieldPart {
  /** Tells it from a file. */
  readonly kind: 'field';
  /** As the client gives it. */
  readonly name: string;
  /** Text, from UTF-8. */
  readonly value: string;
}

/** A file of a form. */
export interface FilePart {
  /** Tells it from a field. */
  readonly kind: 'file';
  /** Name of the field that holds the file, as the client gives it. */
  readonly name: string;
  /** The name that the client gives the file, without folders; empty when it gives none. */
  readonly fileName: string;
  /** The media type that the client claims; `application/octet-stream` when it claims none. */
  readonly mediaType: string;
  /** The content. Read it before the next part is asked for; what is left then is dropped. */
  readonly stream: Readable;
}

/** One part of a form. */
export type Part = FieldPart | FilePart;

/** Whether a request announces a form with parts. */
export function isMultipart(ctx: Context): boolean {
  return /^\s*multipart\/form-data\s*(?:;|$)/i.test(ctx.get('Content-Type') ?? '');
}

/**
 * Reads the parts of a `multipart/form-data` body one by one, in their order. The client is read no
 * faster than the parts are. Leaving the loop drops the rest of the body; the connection stays usable.
 *
 * @param ctx - Context of a request whose body nobody has read yet.
 * @param options - The limits.
 * @throws {BadRequestError} 400 `MISSING_BOUNDARY`, `MALFORMED_MULTIPART`, `FORBIDDEN_KEY`, or
 *   `BODY_ABORTED` when the client stops early.
 * @throws {PayloadTooLargeError} 413, when the form exceeds a limit. A file's stream fails with it.
 * @throws {UnsupportedMediaTypeError} 415, when the body is of another media type, or compressed.
 * @throws {InternalServerError} 500 `BODY_ALREADY_READ`, when the body has been read before.
 * @throws {SetupError} `INVALID_LIMIT`, at the call, so with each request, when a limit cannot be read;
 *   left uncaught, it is answered with 500.
 * @see RFC 7578
 */
export function parts(
  ctx: Context,
  options: MultipartOptions = {},
): AsyncGenerator<Part, void, undefined> {
  return readParts(ctx, resolveLimits(options));
}

/** As {@link parts}, with all limits given. */
export async function* readParts(
  ctx: Context,
  limits: Required<MultipartLimits>,
): AsyncGenerator<Part, void, undefined> {
  assertReadable(ctx);
  const boundary = boundaryOf(ctx);
  assertWithin(limits, 'totalSize', Number(ctx.get('Content-Length') ?? 0));
  const reader = new FormReader(ctx, boundary, limits);
  try {
    for (let entry = await reader.next(); entry; entry = await reader.next()) {
      yield await toPart(entry);
    }
  } finally {
    reader.cancel();
  }
}

async function toPart({ name, fileName, mediaType, body }: Entry): Promise<Part> {
  if (fileName === undefined) {
    const bytes = Buffer.concat(await body.toArray());
    return { kind: 'field', name, value: decodeUtf8(bytes) };
  }
  return {
    kind: 'file',
    name,
    fileName,
    mediaType: mediaType ?? 'application/octet-stream',
    stream: body,
  };
}

function assertReadable(ctx: Context): void {
  if (!isMultipart(ctx)) {
    throw new UnsupportedMediaTypeError('Send the body as multipart/form-data.');
  }
  const encoding = ctx.get('Content-Encoding')?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity') {
    throw new UnsupportedMediaTypeError(
      `A form with the content encoding '${encoding}' is not supported. Send it as it is.`,
      { code: 'UNSUPPORTED_CONTENT_ENCODING', headers: { 'Accept-Encoding': 'identity' } },
    );
  }
  if (ctx.req.readableDidRead) {
    throw new InternalServerError(
      `The body of ${ctx.method} ${ctx.path} has been read before parts() was called. Take the body parser that reads it out of this route's way.`,
      { code: 'BODY_ALREADY_READ' },
    );
  }
}

/** @see RFC 2046 §5.1.1 */
function boundaryOf(ctx: Context): string {
  const boundary = parameterOf(ctx.get('Content-Type') ?? '', 'boundary');
  if (boundary !== null && /^[\x20-\x7e]{1,70}$/.test(boundary)) return boundary;
  throw new BadRequestError(
    'The Content-Type has no boundary of 1 to 70 characters. Let the HTTP client set the header.',
    { code: 'MISSING_BOUNDARY' },
  );
}

function parameterOf(mediaType: string, name: string): string | null {
  try {
    return new MIMEType(mediaType).params.get(name);
  } catch {
    return null;
  }
}
