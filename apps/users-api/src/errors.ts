import {
  type ErrorFormatter,
  ListenError,
  ValidationError,
  type ValidationIssue,
} from '@fairlead/core';
import { describeError } from '@fairlead/pino';
import { describeStartError } from '@fairlead/serve';
import { StoreError } from '@fairlead/store';
import { NOT_AN_OBJECT, REQUIRED } from './users/schemas.js';

/** Formats an error for clients. The detail of a ValidationError names the problems. */
export const formatError: ErrorFormatter = (problem, error, ctx) => {
  if (!(error instanceof ValidationError)) return problem;
  const detail = summarize(error.issues);
  ctx.set('Content-Type', 'application/problem+json');
  return { ...problem, detail, error: detail };
};

/** Joins issues into one message. Fields with the same problem share a clause. */
function summarize(issues: readonly ValidationIssue[]): string {
  const fields = Map.groupBy(issues, ({ message }) => message);
  if (fields.has(REQUIRED)) return 'name and email are required';
  if (fields.has(NOT_AN_OBJECT)) return 'The body must be a JSON object with name, email or both';
  const clauses = [...fields].map(([message, shared]) => {
    const names = shared.map(({ path }) => path.slice(1).join('.'));
    return `${names.join(' and ')} ${message}`;
  });
  return clauses.join('; ');
}

/**
 * Describes an error for the log. A transient StoreError has no stack, because it may occur with every request
 * during an outage.
 */
export function serializeError(error: unknown): object {
  return describeError(error, { stack: !(error instanceof StoreError && error.isTransient) });
}

/** Formats an error that ends the program. Names the settings of an address that cannot be used. */
export function describeFailure(error: unknown, operationsPort?: number): string {
  const text = `users-api: ${describeStartError(error)}`;
  const { code, message } = Object(error) as { code?: unknown; message: string };
  // The location of the error follows its message.
  if (String(code).startsWith('ERR_PARSE_ARGS')) {
    return text.replace(message, () => `${message.replace(/\.$/, '')}. See --help.`);
  }
  if (!(error instanceof ListenError)) return text;
  const name = error.port === operationsPort ? 'OPERATIONS_PORT' : 'PORT';
  return text.replace(message, () => `${message} ${name} and HOST set the address.`);
}
