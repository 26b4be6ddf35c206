import { isUtf8 } from 'node:buffer';
import { win32 } from 'node:path';
import { BadRequestError } from '@fairlead/core';
import { assertFieldName } from '@fairlead/core/extend';

/** The names in the `Content-Disposition` header of a part. */
export interface Disposition {
  readonly name: string;
  /** The base name of the file, which can be empty. Undefined for a field. */
  readonly fileName: string | undefined;
}

const PARAMETER = /;\s*([^\s=;"]+)\s*=(?:\s*"((?:[^"\\]|\\.)*)"|\s*([^\s;"]+))?\s*/y;

/**
 * Parses the `Content-Disposition` header of a part.
 *
 * @param header - The bytes of the header, decoded as latin1.
 * @throws {BadRequestError} 400 `MALFORMED_MULTIPART`, when the header is not a valid `form-data`
 *   disposition, repeats a parameter, or a name is not UTF-8 or contains a control character. 400
 *   `FORBIDDEN_KEY`, when the name contains a key such as `__proto__`.
 * @see RFC 7578 §4.2; RFC 8187 §3.2 for `filename*`, which some clients send although RFC 7578 forbids it.
 *   When it is unreadable, `filename` counts, as §4.2 recommends.
 */
export function parseDisposition(header: string): Disposition {
  const parameters = parseParameters(header);
  const name = parameters.get('name');
  if (name === undefined) throw malformed('a part has no name');
  const disposition = { name: decodeName(name), fileName: fileNameOf(parameters) };
  assertFieldName(disposition.name);
  return disposition;
}

/** Returns the name in `filename*`, or that in `filename` if the former is absent or unreadable. */
function fileNameOf(parameters: ReadonlyMap<string, string>): string | undefined {
  const fileName = parameters.get('filename');
  const extended = parameters.get('filename*');
  if (extended === undefined) return fileName === undefined ? undefined : baseName(fileName);
  try {
    return baseName(decodeExtended(extended));
  } catch (error) {
    if (fileName === undefined) throw error;
    return baseName(fileName);
  }
}

/** Decodes UTF-8. @throws {BadRequestError} 400 `MALFORMED_MULTIPART`, for invalid UTF-8. */
export function decodeUtf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw malformed('a name or a field is not valid UTF-8');
  return bytes.toString('utf8');
}

/** Creates the error for a malformed body. */
export function malformed(reason: string, cause?: unknown): BadRequestError {
  return new BadRequestError(
    `The body is not valid multipart/form-data: ${reason}. Encode the form as RFC 7578 describes.`,
    { code: 'MALFORMED_MULTIPART', cause },
  );
}

function parseParameters(header: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  const start = /^form-data\s*/i.exec(header)?.[0].length;
  if (start === undefined) throw malformed('a part has no form-data Content-Disposition header');
  PARAMETER.lastIndex = start;
  let end = start;
  for (let match = PARAMETER.exec(header); match !== null; match = PARAMETER.exec(header)) {
    const [, name = '', quoted, bare = ''] = match;
    const key = name.toLowerCase();
    // What checks the form before, such as a firewall, may read the other one. RFC 6266 §4.1
    if (parameters.has(key)) throw malformed('a part repeats a parameter of Content-Disposition');
    // Browsers do not escape backslashes. Only one before a quote or another backslash is an escape.
    parameters.set(key, quoted?.replace(/\\(["\\])/g, '$1') ?? bare);
    end = PARAMETER.lastIndex;
  }
  if (/[^\s;]/.test(header.slice(end))) {
    throw malformed('the Content-Disposition header of a part is malformed');
  }
  return parameters;
}

function decodeName(latin1: string): string {
  const name = decodeUtf8(Buffer.from(latin1, 'latin1'));
  if (/\p{Cc}/u.test(name)) throw malformed('a name contains a control character');
  return name;
}

function decodeExtended(value: string): string {
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(value) ?? [];
  if (encoded === undefined) throw malformed("a filename* does not start with utf-8''");
  try {
    return Buffer.from(decodeURIComponent(encoded)).toString('latin1');
  } catch (cause) {
    throw malformed('a filename* is not percent-encoded UTF-8', cause);
  }
}

/** Removes the folders, separated as on Windows or POSIX, from a file name. */
function baseName(latin1: string): string {
  const name = win32.basename(decodeName(latin1));
  return name === '.' || name === '..' ? '' : name;
}
