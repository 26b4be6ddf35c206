import { isUtf8 } from 'node:buffer';
import { win32 } from 'node:path';
import { BadRequestError } from '@fairlead/core';

/** What a part says of itself. */
export interface Disposition {
  readonly name: string;
  /** Base name of the file; empty when it has none. Undefined for a field. */
  readonly fileName: string | undefined;
}

const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))\s*/y;

/**
 * Reads the `Content-Disposition` of a part.
 *
 * @param header - Its bytes as latin1.
 * @throws {BadRequestError} 400 `MALFORMED_MULTIPART`, when it is not that of a form's part, or a name
 *   is no UTF-8 or holds a control character; 400 `FORBIDDEN_KEY`, when the name is `__proto__`.
 * @see RFC 7578 §4.2; RFC 8187 §3.2 for `filename*`, which some clients send all the same
 */
export function parseDisposition(header: string): Disposition {
  const parameters = parseParameters(header);
  const name = parameters.get('name');
  if (name === undefined) throw malformed('a part has no name');
  const fileName = parameters.get('filename');
  const extended = parameters.get('filename*');
  const disposition = {
    name: decodeName(name),
    fileName: extended === undefined ? baseName(fileName) : baseName(decodeExtended(extended)),
  };
  if (disposition.name !== '__proto__') return disposition;
  throw new BadRequestError("The form holds the name '__proto__', which is not accepted.", {
    code: 'FORBIDDEN_KEY',
  });
}

/** Decodes UTF-8. @throws {BadRequestError} 400 `MALFORMED_MULTIPART`, when it is not. */
export function decodeUtf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw malformed('a name or a field is not valid UTF-8');
  return bytes.toString('utf8');
}

/** The error of a body that does not follow the grammar. */
export function malformed(reason: string, cause?: unknown): BadRequestError {
  return new BadRequestError(`The body is not valid multipart/form-data: ${reason}.`, {
    code: 'MALFORMED_MULTIPART',
    cause,
  });
}

function parseParameters(header: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  const start = /^form-data\s*/i.exec(header)?.[0].length;
  if (start === undefined) throw malformed('a part has no Content-Disposition of form-data');
  PARAMETER.lastIndex = start;
  let end = start;
  for (let match = PARAMETER.exec(header); match !== null; match = PARAMETER.exec(header)) {
    const [, key = '', quoted, bare = ''] = match;
    // Browsers write a backslash as it is: only those before a quote or another one escape.
    parameters.set(key.toLowerCase(), quoted?.replace(/\\(["\\])/g, '$1') ?? bare);
    end = PARAMETER.lastIndex;
  }
  if (/[^\s;]/.test(header.slice(end))) throw malformed('a Content-Disposition cannot be read');
  return parameters;
}

function decodeName(latin1: string): string {
  const name = decodeUtf8(Buffer.from(latin1, 'latin1'));
  if (/\p{Cc}/u.test(name)) throw malformed('a name holds a control character');
  return name;
}

function decodeExtended(value: string): string {
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(value) ?? [];
  if (encoded === undefined) throw malformed("a filename* does not begin with utf-8''");
  try {
    return Buffer.from(decodeURIComponent(encoded)).toString('latin1');
  } catch (cause) {
    throw malformed('a filename* is not percent-encoded UTF-8', cause);
  }
}

/** What is left of a file name without its folders, as Windows or POSIX write them. */
function baseName(latin1: string | undefined): string | undefined {
  if (latin1 === undefined) return undefined;
  const name = win32.basename(decodeName(latin1));
  return name === '.' || name === '..' ? '' : name;
}
