import type { StandardSchema, StandardSchemaIssue } from '@fairlead/schemas';
import type { ValidationIssue } from '../errors/http-error.js';
import { isPromiseLike } from '../promise.js';

/**
 * Validates a value of a request.
 *
 * @param path - Where the value is in the request; the source first.
 * @param issues - Receives the issues of a value that the schema rejects.
 * @returns The output of the schema, or undefined after an issue; a promise for an asynchronous schema.
 * @throws The error of the schema. `TypeError` for a result that is not of Standard Schema.
 */
export function validateValue(
  schema: StandardSchema,
  value: unknown,
  path: readonly [source: string, ...names: string[]],
  issues: ValidationIssue[],
): unknown {
  const result = schema['~standard'].validate(value);
  return isPromiseLike(result)
    ? Promise.resolve(result).then((settled) => readResult(settled, path, issues))
    : readResult(result, path, issues);
}

/** Returns the value of a result, or undefined after issues. */
function readResult(
  result: unknown,
  path: readonly [source: string, ...names: string[]],
  issues: ValidationIssue[],
): unknown {
  const { value, issues: found }: { readonly value?: unknown; readonly issues?: unknown } =
    Object(result);
  if (found === undefined && value !== undefined) return value;
  if (Array.isArray(found) && found.length > 0) {
    const [source] = path;
    for (const issue of found as readonly StandardSchemaIssue[]) {
      const message = shorten(issue.message, MAX_MESSAGE_LENGTH);
      issues.push({ source, path: [...path, ...keysOf(issue)], message });
    }
    return undefined;
  }
  if (found === undefined && 'value' in Object(result)) return undefined;
  throw new TypeError('The schema returned neither a value nor issues. Correct its validate().');
}

/** How long a key of an issue is at most. A client may send a huge key, and each issue below repeats it. */
const MAX_KEY_LENGTH = 200;

/** The maximum length of a message, which may list all keys that a client sent. */
const MAX_MESSAGE_LENGTH = 1_000;

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** Returns the keys of an issue's path, long ones shortened. */
export function keysOf({ path = [] }: StandardSchemaIssue): (string | number)[] {
  return path.map((segment) => {
    const key = typeof segment === 'object' ? segment.key : segment;
    if (typeof key === 'number') return key;
    return shorten(String(key), MAX_KEY_LENGTH);
  });
}
