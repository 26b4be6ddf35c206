import { BadRequestError } from '@fairlead/core';
import { token } from '@fairlead/di';
import type { CreateUserInput, UpdateUserInput } from './user.js';

/**
 * Maximum lengths of a name and an email, each 1 or more, in UTF-16 code units. `String.length` and
 * the `maxlength` of an HTML form count in the same unit.
 */
export interface UserLimits {
  readonly name: number;
  readonly email: number;
}

/** Container token of the limits. */
export const USER_LIMITS = token<UserLimits>('UserLimits');

/** An invalid field, in the format of the validation issues of @fairlead/controllers. */
interface Issue {
  readonly path: readonly string[];
  readonly message: string;
}

const FIELDS = ['name', 'email'] as const;

/**
 * Validates the body of a create request. Ignores unknown fields, and replaces lone surrogates and
 * U+0000 with U+FFFD.
 *
 * @param body - The parsed body, or `undefined` without one.
 * @param limits - Maximum lengths.
 * @returns Name and email, each a non-empty string.
 * @throws {BadRequestError} 400 `VALIDATION_FAILED`, when a field is missing, empty, too long or not a
 *   string.
 */
export function readCreateInput(body: unknown, limits: UserLimits): CreateUserInput {
  const { name, email } = isObject(body) ? body : {};
  if (isNonEmpty(name, limits.name) && isNonEmpty(email, limits.email)) {
    return { name: toStorable(name), email: toStorable(email) };
  }
  const issues = FIELDS.flatMap((field) => {
    const value = { name, email }[field];
    if (!isNonEmpty(value)) return issue(field, 'must be a non-empty string');
    return value.length > limits[field] ? tooLong(field, value, limits) : [];
  });
  const isComplete = isNonEmpty(name) && isNonEmpty(email);
  throw invalid(isComplete ? summarize(issues) : 'name and email are required', issues);
}

/**
 * Validates the body of an update request. Ignores unknown fields, and replaces lone surrogates and
 * U+0000 with U+FFFD.
 *
 * @param body - The parsed body, or `undefined` without one.
 * @param limits - Maximum lengths.
 * @returns The fields in the body, each a string that may be empty.
 * @throws {BadRequestError} 400 `VALIDATION_FAILED`, when the body is not an object, or a field is too
 *   long or not a string.
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
    else input[field] = toStorable(value);
  }
  if (issues.length > 0) throw invalid(summarize(issues), issues);
  return input;
}

function issue(field: string, message: string): Issue {
  return { path: ['body', field], message };
}

function tooLong(field: keyof UserLimits, value: string, limits: UserLimits): Issue {
  return issue(field, `must be at most ${limits[field]} characters long, not ${value.length}`);
}

/** Joins issues into one message. Fields with the same problem share a clause. */
function summarize(issues: readonly Issue[]): string {
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

// UTF-8 cannot encode lone surrogates, and PostgreSQL cannot store U+0000.
function toStorable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNonEmpty(value: unknown, limit = Number.POSITIVE_INFINITY): value is string {
  return typeof value === 'string' && value !== '' && value.length <= limit;
}
