import { BadRequestError } from '@fairlead/core';
import type { CreateUserInput, UpdateUserInput } from './user.js';

/** One field that is wrong, in the form of @fairlead/controllers' validation issues. */
interface Issue {
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * Reads the input of a create from a request body. Unknown fields are ignored; lone surrogates
 * and U+0000 become U+FFFD.
 *
 * @param body - The parsed body, or `undefined` when there was none.
 * @returns Name and email, each a non-empty string.
 * @throws {BadRequestError} 400 when one is missing, empty or not a string.
 */
export function readCreateInput(body: unknown): CreateUserInput {
  const { name, email } = isObject(body) ? body : {};
  if (isFilled(name) && isFilled(email)) return { name: storable(name), email: storable(email) };
  const issues = Object.entries({ name, email })
    .filter(([, value]) => !isFilled(value))
    .map(([field]) => ({ path: ['body', field], message: 'must be a non-empty string' }));
  throw invalid('name and email are required', issues);
}

/**
 * Reads the input of an update from a request body. Unknown fields are ignored; lone surrogates
 * and U+0000 become U+FFFD.
 *
 * @param body - The parsed body, or `undefined` when there was none.
 * @returns The fields that the body has; an empty string is one.
 * @throws {BadRequestError} 400 when the body is not an object, or a field is not a string.
 */
export function readUpdateInput(body: unknown): UpdateUserInput {
  if (!isObject(body)) {
    throw invalid('The body must be a JSON object with name, email or both', [
      { path: ['body'], message: 'must be an object' },
    ]);
  }
  const input: { name?: string; email?: string } = {};
  const issues: Issue[] = [];
  for (const field of ['name', 'email'] as const) {
    const value = body[field];
    if (typeof value === 'string') input[field] = storable(value);
    else if (value !== undefined)
      issues.push({ path: ['body', field], message: 'must be a string' });
  }
  if (issues.length === 0) return input;
  throw invalid(`${issues.map(({ path }) => path[1]).join(' and ')} must be a string`, issues);
}

function invalid(message: string, issues: readonly Issue[]): BadRequestError {
  return new BadRequestError(message, { code: 'VALIDATION_FAILED', details: { issues } });
}

// No store that keeps UTF-8 can hold a lone surrogate, and not every one can hold U+0000.
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
