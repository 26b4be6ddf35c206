import { PayloadTooLargeError, SetupError } from '@fairlead/core';

/** What a form may hold. Each is a whole number, or `Infinity`; sizes are in bytes. */
export interface MultipartLimits {
  /** Bytes of the whole body, delimiters and headers included; 10,485,760 (10 MiB) by default. */
  readonly totalSize?: number;
  /** Bytes of one file; 5,242,880 (5 MiB) by default. */
  readonly fileSize?: number;
  /** Bytes of one field's value; 65,536 (64 KiB) by default. */
  readonly fieldSize?: number;
  /** Number of files; 10 by default. */
  readonly files?: number;
  /** Number of fields; 100 by default. */
  readonly fields?: number;
  /** Number of files and fields together; 110 by default. */
  readonly parts?: number;
  /** Number of headers of one part; 16 by default. */
  readonly headerPairs?: number;
  /** Bytes of the names and values of one part's headers; 8,192 (8 KiB) by default. */
  readonly headerSize?: number;
}

/** What {@link multipart} and {@link parts} may be told. */
export interface MultipartOptions {
  /** Each has a default. */
  readonly limits?: MultipartLimits;
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

/**
 * Fills in the limits that are not given.
 *
 * @throws {SetupError} `INVALID_LIMIT`, when one is neither a whole number from 0 nor `Infinity`.
 */
export function resolveLimits({ limits }: MultipartOptions): Required<MultipartLimits> {
  for (const [name, value] of Object.entries(limits ?? {})) {
    if (Number.isSafeInteger(value) && value >= 0) continue;
    if (value === Number.POSITIVE_INFINITY || value === undefined) continue;
    throw new SetupError(
      'INVALID_LIMIT',
      `The multipart limit '${name}' is ${value}. Give a whole number from 0, or Infinity.`,
    );
  }
  const given = Object.entries(limits ?? {}).filter(([, value]) => value !== undefined);
  return { ...DEFAULTS, ...Object.fromEntries(given) };
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

/**
 * Holds a form to one of its limits.
 *
 * @param limits - All of them.
 * @param name - Which one.
 * @param value - What the form has of it.
 * @throws {PayloadTooLargeError} 413, when it has more.
 */
export function assertWithin(
  limits: Required<MultipartLimits>,
  name: keyof MultipartLimits,
  value: number,
): void {
  if (value <= limits[name]) return;
  throw new PayloadTooLargeError(
    `The form exceeds the limit '${name}', which is ${limits[name]}.`,
    { code: CODES[name] },
  );
}
