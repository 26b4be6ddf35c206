import { type AnyContext, HttpError, PreconditionFailedError } from '@fairlead/core';
import { matchesWeakly, parseTags } from '@fairlead/options';

/** The version of a file, as the headers of its response state it. */
export interface Validators {
  readonly etag: string;
  /** The value of `Last-Modified`, in milliseconds. `NaN` if it is not a date. */
  readonly lastModified: number;
}

/** The bytes to send: from `start` to `end`, inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Checks the conditions of a request that reads a file.
 *
 * @returns Whether the client has the current version, so that the response is a 304.
 * @throws {PreconditionFailedError} 412, when `If-Match` or `If-Unmodified-Since` is false.
 * @see RFC 9110 §13.2.2
 */
export function isUnmodified(ctx: AnyContext, { etag, lastModified }: Validators): boolean {
  const match = ctx.get('If-Match');
  if (match !== undefined && match !== '*' && !isStrongMatch(match, etag)) {
    throw new PreconditionFailedError(
      'The file does not match If-Match, which never matches a weak ETag. Fetch its current version first.',
    );
  }
  if (match === undefined && lastModified > dateOf(ctx, 'If-Unmodified-Since')) {
    throw new PreconditionFailedError(
      'The file was modified after If-Unmodified-Since. Fetch its current version first.',
    );
  }
  const noneMatch = ctx.get('If-None-Match');
  if (noneMatch === undefined) return lastModified <= dateOf(ctx, 'If-Modified-Since');
  return matchesWeakly(noneMatch, etag);
}

/** Whether a list contains a strong tag. RFC 9110 §8.8.3.2 */
function isStrongMatch(list: string, etag: string): boolean {
  return parseTags(list).includes(etag) && !etag.startsWith('W/');
}

function dateOf(ctx: AnyContext, name: string): number {
  return Date.parse(ctx.get(name) ?? '');
}

/**
 * Reads the range of a GET request. Several ranges count as none, which RFC 9110 §14.2 allows.
 *
 * @param size - The size of the file, in bytes.
 * @returns Undefined for the whole file.
 * @throws {HttpError} 416, when the range is outside the file.
 * @see RFC 9110 §13.1.5 (If-Range), §14.1.2 (byte ranges)
 */
export function readRange(
  ctx: AnyContext,
  size: number,
  current: Validators,
): ByteRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(ctx.get('Range') ?? '') ?? [];
  const isReversed = first !== '' && last !== '' && Number(last) < Number(first);
  if (first + last === '' || isReversed || !isRangeCurrent(ctx, current)) return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  if (start >= size) {
    throw new HttpError(
      416,
      'The range is outside the file. Request a range within the length in Content-Range.',
      { headers: { 'Content-Range': `bytes */${size}` } },
    );
  }
  const isOpen = first === '' || last === '';
  return { start, end: isOpen ? size - 1 : Math.min(size - 1, Number(last)) };
}

/** Whether `If-Range` allows a part of the file: an absent one, a strong tag, or the exact date. */
function isRangeCurrent(ctx: AnyContext, { etag, lastModified }: Validators): boolean {
  const condition = ctx.get('If-Range');
  if (condition === undefined) return true;
  if (condition.includes('"')) return condition === etag && !etag.startsWith('W/');
  return Date.parse(condition) === lastModified;
}
