import { BadRequestError } from '@fairlead/core';
import { token } from '@fairlead/di';
import type { CreateUserInput, UpdateUserInput } from './user.js';

/**
 * Longest name and email that a client may give, in characters, each 1 or more. A character is a
 * UTF-16 code unit, as in `String.length` and in the `maxlength` of an HTML form.
 */
export interface UserLimits {
  readonly name: number;
  readonly email: number;
}

/** The token under which a container holds the limits. */
export const USER_LIMITS = token<UserLimits>('UserLimits');

/** One field that is wrong, in the form of @fairlead/controllers' validation issues. */
interface Issue {
  readonly path: readonly string[];
  readonly message: string;
}

const FIELDS = ['name', 'email'] as const;

/**
 * Reads the input of a create from a request body. Unknown fields are ignored; lone surrogates
 * and U+0000 become U+FFFD.
 *
 * @param body - The parsed body, or `undefined` when there was none.
 * @param limits - Longest name and email to accept.
 * @returns Name and email, each a non-empty string.
 * @throws {BadRequestError} 400 when one is missing, empty, too long or not a string.
 */
export function readCreateInput(body: unknown, limits: UserLimits): CreateUserInput {
  const { name, email } = isObject(body) ? body : {};
  if (isFilled(name, limits.name) && isFilled(email, limits.email)) {
    return { name: storable(name), email: storable(email) };
  }
  const issues = FIELDS.flatMap((field) => {
    const value = { name, email }[field];
    if (!isFilled(value)) return issue(field, 'must be a non-empty string');
    return value.length > limits[field] ? tooLong(field, value, limits) : [];
  });
  const isComplete = isFilled(name) && isFilled(email);
  throw invalid(isComplete ? summaryOf(issues) : 'name and email are required', issues);
}

/**
 * Reads the input of an update from a request body. Unknown fields are ignored; lone surrogates
 * and U+0000 become U+FFFD.
 *
 * @param body - The parsed body, or `undefined` when there was none.
 * @param limits - Longest name and email to accept.
 * @returns The fields that the body has; an empty string is one.
 * @throws {BadRequestError} 400 when the body is not an object, or a field is too long or not a string.
 */
export function readUpdateInput(body: unknown, limits: UserLimits): UpdateUserInput {
  if (!isObject(body)) {
    throw invalid('The body must be a JSON object with name, email or both', [
      { path: ['body'], message: 'must be an object' },
    ]);
  }
  const input: { name?: string; email?: string } = {};
  const issues: Issue[] = [];
  for (const field of FIELDS) {
    const value = body[field];
    if (value === undefined) continue;
    if (typeof value !== 'string') issues.push(issue(field, 'must be a string'));
    else if (value.length > limits[field]) issues.push(tooLong(field, value, limits));
    else input[field] = storable(value);
  }
  if (issues.length > 0) throw invalid(summaryOf(issues), issues);
  return input;
}

function issue(field: string, message: string): Issue {
  return { path: ['body', field], message };
}

function tooLong(field: keyof UserLimits, value: string, limits: UserLimits): Issue {
  return issue(field, `must be at most ${limits[field]} characters long, not ${value.length}`);
}

/** Writes issues as one sentence; fields with the same message share it. */
function summaryOf(issues: readonly Issue[]): string {
  return [...new Set(issues.map(({ message }) => message))]
    .map((shared) => {
      const fields = issues.filter(({ message }) => message === shared).map(({ path }) => path[1]);
      return `${fields.join(' and ')} ${shared}`;
    })
    .join('; ');
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

function isFilled(value: unknown, limit = Number.POSITIVE_INFINITY): value is string {
  return typeof value === 'string' && value !== '' && value.length <= limit;
}
