import { isUtf8 } from 'node:buffer';
import { BadRequestError } from '../errors/http-error.js';
import { isJson } from './media-type.js';
import { assertOptions } from '../options.js';
import type { Middleware } from '../pipeline/pipeline.js';
import { BODY_CODES, BODY_OPTIONS, type BodyOptions, createBodyParser } from './body-parser.js';

/**
 * Parses JSON bodies, `application/json` and `+json` or the media types in the option `type`, into
 * `ctx.body`. An empty body leaves it undefined. Bodies of other media types are left to other parsers.
 *
 * The middleware throws 400 for a malformed, truncated or forbidden body, 413 for a body past the
 * limit, and 415 for a charset other than UTF-8 or an unknown content encoding.
 *
 * @throws {SetupError} `INVALID_LIMIT`, when the limit is invalid; `INVALID_MEDIA_TYPE`, when `type` is;
 *   `INVALID_OPTION`, when another option is unknown or invalid.
 * @see RFC 8259
 */
export function json(options: BodyOptions = {}): Middleware {
  assertOptions('json()', options, BODY_OPTIONS, BODY_CODES);
  return createBodyParser(
    {
      name: 'json',
      mediaTypes: ['application/json'],
      accepts: isJson,
      encodings: ['utf-8'],
      parse: parseJson,
    },
    options,
  );
}

/** Maximum nesting of arrays and objects. Code that recurses over a value can handle this depth. */
const MAX_DEPTH = 1_000;

/**
 * Parses JSON.
 *
 * @param bytes - UTF-8; a byte order mark is ignored.
 * @throws {BadRequestError} 400 `MALFORMED_JSON`, when the bytes are not UTF-8 or not JSON; 400
 *   `JSON_TOO_DEEP`, for more than 1,000 levels; 400 `FORBIDDEN_KEY`, when an object has the key
 *   `__proto__`, or a `constructor` with a `prototype`.
 * @see RFC 8259 §8.1, §9
 */
export function parseJson(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  // Invalid UTF-8 decodes to U+FFFD, which valid bodies may also contain.
  if (text.includes('\uFFFD') && !isUtf8(bytes)) throw malformed('it is not valid UTF-8');
  // Each level takes at least two characters.
  if (text.length > 2 * MAX_DEPTH && nestsDeeper(text, MAX_DEPTH)) throw tooDeep();
  let value: unknown;
  try {
    value = JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch (cause) {
    throw malformed('it does not follow the JSON grammar', cause);
  }
  // Every forbidden key contains `proto`, possibly written with a \u escape.
  if (text.includes('proto') || text.includes('\\u')) assertNoForbiddenKey(value);
  return value;
}

/** Checks every object without recursion, which could overflow the stack. */
function assertNoForbiddenKey(root: unknown): void {
  const pending = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (Object.hasOwn(value, '__proto__')) throw forbiddenKey('__proto__');
    const constructorValue =
      Object.hasOwn(value, 'constructor') && Reflect.get(value, 'constructor');
    if (
      typeof constructorValue === 'object' &&
      constructorValue !== null &&
      Object.hasOwn(constructorValue, 'prototype')
    ) {
      throw forbiddenKey('constructor.prototype');
    }
    for (const member of Object.values(value)) pending.push(member);
  }
}

function malformed(reason: string, cause?: unknown): BadRequestError {
  return new BadRequestError(`The body is not valid JSON: ${reason}.`, {
    code: 'MALFORMED_JSON',
    cause,
  });
}

function tooDeep(): BadRequestError {
  return new BadRequestError(
    `The body nests arrays and objects more than ${MAX_DEPTH} levels deep. Send a flatter structure.`,
    { code: 'JSON_TOO_DEEP' },
  );
}

/** Creates the error for a key that could pollute a prototype. */
export function forbiddenKey(key: string): BadRequestError {
  return new BadRequestError(`The body contains the forbidden key '${key}'. Remove it.`, {
    code: 'FORBIDDEN_KEY',
  });
}

/**
 * Whether a JSON text nests arrays and objects deeper than a limit. Does not parse the text.
 *
 * @param text - Valid JSON. The result is meaningless for other text.
 */
export function nestsDeeper(text: string, limit: number): boolean {
  // Each level takes at least two characters.
  if (text.length <= 2 * limit) return false;
  let depth = 0;
  let isString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (isString) {
      if (character === '\\') index += 1;
      else if (character === '"') isString = false;
    } else if (character === '"') isString = true;
    else if (character === '[' || character === '{') {
      depth += 1;
      if (depth > limit) return true;
    } else if (character === ']' || character === '}') depth -= 1;
  }
  return false;
}
