import {
  BadRequestError,
  type Middleware,
  ValidationError,
  type ValidationIssue,
} from '@fairlead/core';
import { NOT_AN_OBJECT, REQUIRED } from './schemas.js';

/**
 * Names the problems of a rejected name and email in the message of the error.
 *
 * @throws {BadRequestError} 400 `VALIDATION_FAILED`, with the issues of the {@link ValidationError}.
 */
export const summarizeIssues: Middleware = (_ctx, next) => {
  try {
    return next()?.catch(rethrow);
  } catch (error) {
    rethrow(error);
  }
};

function rethrow(error: unknown): never {
  if (!(error instanceof ValidationError)) throw error;
  const { code, details, issues } = error;
  throw new BadRequestError(summarize(issues), { code, details, cause: error });
}

/** Joins issues into one message. Fields with the same problem share a clause. */
function summarize(issues: readonly ValidationIssue[]): string {
  const messages = [...new Set(issues.map(({ message }) => message))];
  if (messages.includes(REQUIRED)) return 'name and email are required';
  if (messages.includes(NOT_AN_OBJECT)) {
    return 'The body must be a JSON object with name, email or both';
  }
  return messages
    .map((shared) => {
      const fields = issues.filter(({ message }) => message === shared).map(({ path }) => path[1]);
      return `${fields.join(' and ')} ${shared}`;
    })
    .join('; ');
}
