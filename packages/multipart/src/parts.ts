import type { Readable } from 'node:stream';
import { MIMEType } from 'node:util';
import {
  type AnyContext,
  BadRequestError,
  InternalServerError,
  isHttpError,
  parseJson,
  UnsupportedMediaTypeError,
} from '@fairlead/core';
import { isBodyRead } from '@fairlead/core/extend';
import { describeValue, essenceOf } from '@fairlead/options';
import { decodeUtf8 } from './disposition.js';
import { type Entry, FormReader } from './form-reader.js';
import { assertWithin } from './limits.js';
import {
  type FileHead,
  type FormSettings,
  type PartsOptions,
  RuleCheck,
  resolveOptions,
} from './rules.js';

/** A field of a form. */
export interface FieldPart {
  /** Distinguishes a field from a file. */
  readonly kind: 'field';
  /** The name sent by the client. */
  readonly name: string;
  /** The text, decoded as UTF-8. */
  readonly value: string;
  /** The media type declared by the client. Default `text/plain`. */
  readonly mediaType: string;
  /** The headers of the part by lower-case name, in an object without a prototype. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A part whose rule has `json: true`. */
export interface JsonPart {
  /** Distinguishes the part from a field or a file. */
  readonly kind: 'json';
  /** The name sent by the client. */
  readonly name: string;
  /** The parsed content. Validate it. */
  readonly value: unknown;
  /** The headers of the part by lower-case name, in an object without a prototype. */
  readonly headers: Readonly<Record<string, string>>;
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
  /** The headers of the part by lower-case name, in an object without a prototype. */
  readonly headers: Readonly<Record<string, string>>;
  /** The content. Read it before you request the next part, which drops the rest. */
  readonly stream: Readable;
}

/** One part of a form. */
export type Part = FieldPart | FilePart | JsonPart;

/** Whether the media type of a request is `multipart/form-data`. */
export function isMultipart(ctx: AnyContext): boolean {
  return essenceOf(ctx.get('Content-Type') ?? '') === 'multipart/form-data';
}

/**
 * Reads the parts of a `multipart/form-data` body one by one, in order, and reads the request no
 * faster than you read the parts. Leaving the loop drops the rest of the body and keeps the
 * connection usable.
 *
 * @param ctx - The context of a request with an unread body.
 * @param options - The limits of the form, the rules for its parts, and a filter for its files.
 * @throws {BadRequestError} 400 `MISSING_BOUNDARY`, `MALFORMED_MULTIPART`, `FORBIDDEN_KEY`, or
 *   `BODY_ABORTED` when the client disconnects early. 400 `MALFORMED_JSON` or `JSON_TOO_DEEP`, when a part is not
 *   the JSON that its rule asks for.
 * @throws {BadRequestError} 400 `MISSING_PART`, `WRONG_PART_KIND` or `FILE_REJECTED`, when the form breaks a rule;
 *   `UnprocessableContentError` 422 with `validationStatus: 422`.
 * @throws {PayloadTooLargeError} 413, when the form exceeds a limit. A file's stream fails with the
 *   same error.
 * @throws {UnsupportedMediaTypeError} 415, when the body has another media type or is compressed, or a part
 *   has a media type that is not accepted.
 * @throws {InternalServerError} 500 `BODY_ALREADY_READ`, when the body has been read already.
 * @throws {SetupError} `INVALID_OPTION`, synchronously, when an option or a limit is unknown or invalid.
 *   Uncaught, it results in a 500 response.
 * @see RFC 7578
 */
export function parts<Ctx extends AnyContext>(
  ctx: Ctx,
  options: PartsOptions<Ctx> = {},
): AsyncGenerator<Part, void, undefined> {
  return readParts(ctx, resolveOptions('parts', options, {}), options.filter);
}

/** Does the work of {@link parts}, with resolved options. */
export async function* readParts<Ctx extends AnyContext>(
  ctx: Ctx,
  settings: FormSettings,
  filter: PartsOptions<Ctx>['filter'],
): AsyncGenerator<Part, void, undefined> {
  const { limits } = settings;
  assertReadable(ctx);
  const boundary = boundaryOf(ctx);
  assertWithin(limits, 'totalSize', Number(ctx.get('Content-Length') ?? 0));
  const rules = new RuleCheck(settings, ctx.validationStatus);
  const decide = typeof filter === 'function' ? (file: FileHead) => filter(file, ctx) : undefined;
  const reader = new FormReader(ctx, boundary, limits, rules);
  try {
    for (let entry = await reader.next(); entry; entry = await reader.next()) {
      if (rules.isMissing(entry)) {
        // Fails if the part has content.
        await entry.body.toArray();
        continue;
      }
      await rules.filter(entry, decide);
      yield await toPart(entry, rules.isJson(entry));
    }
    rules.assertComplete();
  } finally {
    reader.cancel();
  }
}

async function toPart(entry: Entry, isJson: boolean): Promise<Part> {
  const { name, fileName, mediaType, headers, body } = entry;
  if (fileName !== undefined && !isJson) {
    return { kind: 'file', name, fileName, mediaType, headers, stream: body };
  }
  const bytes = Buffer.concat(await body.toArray());
  if (isJson) return { kind: 'json', name, value: parsePart(name, bytes), headers };
  return { kind: 'field', name, value: decodeUtf8(bytes), mediaType, headers };
}

/** Parses the content of a part, with the checks of `json()`. */
function parsePart(name: string, bytes: Buffer): unknown {
  try {
    return parseJson(bytes);
  } catch (cause) {
    if (!isHttpError(cause)) throw cause;
    const { code, message } = cause;
    throw new BadRequestError(`The part '${name}' was rejected. ${message}`, { code, cause });
  }
}

function assertReadable(ctx: AnyContext): void {
  if (!isMultipart(ctx)) {
    throw new UnsupportedMediaTypeError(
      'The body is not multipart/form-data. Send it with that media type.',
      { headers: { Accept: 'multipart/form-data' } },
    );
  }
  const encoding = ctx.get('Content-Encoding')?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity') {
    throw new UnsupportedMediaTypeError(
      `The content encoding ${describeValue(encoding)} is not supported for a form. Send it uncompressed.`,
      { code: 'UNSUPPORTED_CONTENT_ENCODING', headers: { 'Accept-Encoding': 'identity' } },
    );
  }
  if (isBodyRead(ctx)) {
    throw new InternalServerError(
      `Cannot read the parts of ${ctx.method} ${ctx.path}: another body parser has read the body. Remove it from this route.`,
      { code: 'BODY_ALREADY_READ' },
    );
  }
}

/** The longest `Content-Type` that is parsed, in characters. `MIMEType` takes quadratic time. */
const LONGEST_TYPE = 512;

/** @see RFC 2046 §5.1.1 */
function boundaryOf(ctx: AnyContext): string {
  const type = ctx.get('Content-Type') ?? '';
  const boundary = parameterOf(type, 'boundary');
  const isValid = boundary !== null && /^[\x20-\x7e]{1,70}$/.test(boundary);
  if (isValid && (type.match(/;\s*boundary\s*=/gi) ?? []).length < 2) return boundary;
  throw new BadRequestError(
    `The Content-Type header has no single boundary of 1 to 70 characters, or is longer than ${LONGEST_TYPE}. Let the HTTP client set it.`,
    { code: 'MISSING_BOUNDARY' },
  );
}

function parameterOf(mediaType: string, name: string): string | null {
  if (mediaType.length > LONGEST_TYPE) return null;
  try {
    return new MIMEType(mediaType).params.get(name);
  } catch {
    return null;
  }
}
