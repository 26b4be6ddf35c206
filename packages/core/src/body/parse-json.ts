import { isUtf8 } from 'node:buffer';
import { BadRequestError } from '../errors/http-errors.js';
import { nestsDeeper } from './nesting.js';

/** Levels of arrays and objects that are accepted: code that recurses over a value stands as many. */
const MAX_DEPTH = 1_000;

/**
 * Reads a JSON text.
 *
 * @param bytes - UTF-8; a byte order mark is ignored.
 * @throws {BadRequestError} 400 `MALFORMED_JSON`, when it is not UTF-8 or not JSON; 400 `JSON_TOO_DEEP`,
 *   when it nests more than 1,000 levels; 400 `FORBIDDEN_KEY`, when an object has the key `__proto__`,
 *   or a `constructor` with a `prototype`.
 * @see RFC 8259 §8.1, §9
 */
export function parseJson(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  // What is not UTF-8 becomes U+FFFD, which a body may also hold as it is.
  if (text.includes('\uFFFD') && !isUtf8(bytes)) throw malformed('it is not valid UTF-8');
  if (nestsDeeper(text, MAX_DEPTH)) throw tooDeep();
  let value: unknown;
  try {
    value = JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch (cause) {
    throw malformed('it does not follow the JSON grammar', cause);
  }
  // Every forbidden key takes `__proto__` or `prototype`, which an escape may hide.
  if (text.includes('proto') || text.includes('\\u')) assertNoForbiddenKey(value);
  return value;
}

/** Looks at every object without recursion, so that depth costs no stack. */
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
    `The body nests arrays and objects more than ${MAX_DEPTH} levels deep. Send it flatter.`,
    { code: 'JSON_TOO_DEEP' },
  );
}

/** The error of a body with a key that could pollute a prototype. */
export function forbiddenKey(key: string): BadRequestError {
  return new BadRequestError(`The body holds the key '${key}', which is not accepted.`, {
    code: 'FORBIDDEN_KEY',
  });
}
