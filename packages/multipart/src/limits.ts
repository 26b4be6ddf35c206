import { PayloadTooLargeError } from '@fairlead/core';
import { either, findOptionProblems, integer, type Kinds, oneOf } from '@fairlead/options';

/** The limits of a form. Each is a whole number or `Infinity`. Sizes are in bytes. */
export interface MultipartLimits {
  /** The size of the whole body, with boundaries and headers. Default 10,485,760 (10 MiB). */
  readonly totalSize?: number;
  /** The size of one file. Default 5,242,880 (5 MiB). */
  readonly fileSize?: number;
  /** The size of one field's value. Default 65,536 (64 KiB). */
  readonly fieldSize?: number;
  /** The number of files. Default 10. */
  readonly files?: number;
  /** The number of fields. Default 100. */
  readonly fields?: number;
  /** The number of files and fields together. Default 110. */
  readonly parts?: number;
  /** The number of headers of one part. Default 16. */
  readonly headerPairs?: number;
  /** The size of the header names and values of one part. Default 8,192 (8 KiB). */
  readonly headerSize?: number;
}

const DEFAULTS: Required<MultipartLimits> = Object.freeze({
  totalSize: 10 * 1024 ** 2,
  fileSize: 5 * 1024 ** 2,
  fieldSize: 64 * 1024,
  files: 10,
  fields: 100,
  parts: 110,
  headerPairs: 16,
  headerSize: 8 * 1024,
});

/** Accepts sizes and counts. */
export const LIMIT = either(integer(0), oneOf(Number.POSITIVE_INFINITY));

const LIMITS: Kinds<MultipartLimits> = {
  totalSize: LIMIT,
  fileSize: LIMIT,
  fieldSize: LIMIT,
  files: LIMIT,
  fields: LIMIT,
  parts: LIMIT,
  headerPairs: LIMIT,
  headerSize: LIMIT,
};

/** Finds limits that are unknown, or are not `Infinity` or a whole number of at least 0. */
export function findLimitProblems(call: string, limits: MultipartLimits | undefined): string[] {
  return findOptionProblems(`${call}({ limits })`, limits, LIMITS);
}

/** Fills in the defaults of missing limits. */
export function completeLimits(limits: MultipartLimits = {}): Required<MultipartLimits> {
  const defined = Object.entries(limits).filter(([, value]) => value !== undefined);
  return { ...DEFAULTS, ...Object.fromEntries(defined) };
}

/** The limits that another one makes unreachable, with that one. */
const WHOLES = [
  ['fileSize', 'totalSize', 'bytes'],
  ['fieldSize', 'totalSize', 'bytes'],
  ['files', 'parts', 'parts'],
  ['fields', 'parts', 'parts'],
] as const;

/** Describes a limit that no form reaches, because one of the whole form is lower. */
export function describeUnreachable(
  call: string,
  limits: Required<MultipartLimits>,
): string | undefined {
  for (const [name, whole, unit] of WHOLES) {
    const [limit, least] = [limits[name], limits[whole]];
    // Infinity leaves the decision to the whole. A default is no decision.
    if (limit <= least || limit === Number.POSITIVE_INFINITY || limit === DEFAULTS[name]) continue;
    return `${name} of ${call}({ limits }) is ${limit}, but a whole form has at most ${least} ${unit}. Pass a larger ${whole}, a smaller ${name}, or pass the middleware to intended().`;
  }
  return undefined;
}

const CODES: Readonly<Record<keyof MultipartLimits, string>> = {
  totalSize: 'PAYLOAD_TOO_LARGE',
  fileSize: 'FILE_TOO_LARGE',
  fieldSize: 'FIELD_TOO_LARGE',
  files: 'TOO_MANY_FILES',
  fields: 'TOO_MANY_FIELDS',
  parts: 'TOO_MANY_PARTS',
  headerPairs: 'TOO_MANY_PART_HEADERS',
  headerSize: 'PART_HEADERS_TOO_LARGE',
};

/** What clients receive. They do not know the names of the limits. */
const MESSAGES: { readonly [Name in keyof MultipartLimits]-?: (limit: number) => string } = {
  totalSize: (limit) => `The form is larger than ${limit} bytes. Send a smaller one.`,
  fileSize: (limit) => `A file is larger than ${limit} bytes. Send a smaller one.`,
  fieldSize: (limit) => `A field is larger than ${limit} bytes. Send a shorter value.`,
  files: (limit) => `The form has too many files. Send at most ${limit}.`,
  fields: (limit) => `The form has too many fields. Send at most ${limit}.`,
  parts: (limit) => `The form has too many fields and files. Send at most ${limit}.`,
  headerPairs: (limit) => `A part has too many headers. Send at most ${limit}.`,
  headerSize: (limit) => `The headers of a part are larger than ${limit} bytes. Send shorter ones.`,
};

/**
 * Checks one limit of a form.
 *
 * @param limits - The resolved limits.
 * @param name - The limit to check.
 * @param value - The size or number in the form.
 * @throws {PayloadTooLargeError} 413, when the value exceeds the limit.
 */
export function assertWithin(
  limits: Required<MultipartLimits>,
  name: keyof MultipartLimits,
  value: number,
): void {
  if (value <= limits[name]) return;
  throw new PayloadTooLargeError(MESSAGES[name](limits[name]), { code: CODES[name] });
}
