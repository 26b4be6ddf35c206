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
  /** Distinguishes a field from a file. */
  readonly kind: 'field';
  /** The name sent by the client. */
  readonly name: string;
  /** The text, decoded as UTF-8. */
  readonly value: string;
}

/** A file of a form. */
export interface FilePart {
  /** Distinguishes a file from a field. */
  readonly kind: 'file';
  /** The name of the file's field, as sent by the client. */
  readonly name: string;
  /** The file name sent by the client, without folders. Empty when the client sends none. */
  readonly fileName: string;
  /** The media type declared by the client. Default `application/octet-stream`. */
  readonly mediaType: string;
  /** The content. Read it before you request the next part, which drops the rest. */
  readonly stream: Readable;
}

/** One part of a form. */
export type Part = FieldPart | FilePart;

/** Whether the media type of a request is `multipart/form-data`. */
export function isMultipart(ctx: Context): boolean {
  return /^\s*multipart\/form-data\s*(?:;|$)/i.test(ctx.get('Content-Type') ?? '');
}

/**
 * Reads the parts of a `multipart/form-data` body one by one, in order, and reads the request no
 * faster than you read the parts. Leaving the loop drops the rest of the body and keeps the
 * connection usable.
 *
 * @param ctx - The context of a request with an unread body.
 * @param options - The limits of the form.
 * @throws {BadRequestError} 400 `MISSING_BOUNDARY`, `MALFORMED_MULTIPART`, `FORBIDDEN_KEY`, or
 *   `BODY_ABORTED` when the client disconnects early.
 * @throws {PayloadTooLargeError} 413, when the form exceeds a limit. A file's stream fails with the
 *   same error.
 * @throws {UnsupportedMediaTypeError} 415, when the body has another media type or is compressed.
 * @throws {InternalServerError} 500 `BODY_ALREADY_READ`, when the body has been read already.
 * @throws {SetupError} `INVALID_LIMIT`, synchronously, when a limit is unknown or invalid;
 *   `INVALID_OPTION`, when another option is. Uncaught, it results in a 500 response.
 * @see RFC 7578
 */
export function parts(
  ctx: Context,
  options: MultipartOptions = {},
): AsyncGenerator<Part, void, undefined> {
  return readParts(ctx, resolveLimits('parts', options));
}

/** Does the work of {@link parts}, with resolved limits. */
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
    throw new UnsupportedMediaTypeError(
      'The body is not multipart/form-data. Send it with that media type.',
    );
  }
  const encoding = ctx.get('Content-Encoding')?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity') {
    throw new UnsupportedMediaTypeError(
      `The content encoding '${encoding}' is not supported for a form. Send it uncompressed.`,
      { code: 'UNSUPPORTED_CONTENT_ENCODING', headers: { 'Accept-Encoding': 'identity' } },
    );
  }
  if (ctx.req.readableDidRead) {
    throw new InternalServerError(
      `The body of ${ctx.method} ${ctx.path} was read before parts() was called. Remove the earlier body parser from this route.`,
      { code: 'BODY_ALREADY_READ' },
    );
  }
}

/** @see RFC 2046 §5.1.1 */
function boundaryOf(ctx: Context): string {
  const boundary = parameterOf(ctx.get('Content-Type') ?? '', 'boundary');
  if (boundary !== null && /^[\x20-\x7e]{1,70}$/.test(boundary)) return boundary;
  throw new BadRequestError(
    'The Content-Type header has no boundary of 1 to 70 characters. Let the HTTP client set it.',
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
