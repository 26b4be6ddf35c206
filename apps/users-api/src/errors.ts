import { inspect } from 'node:util';
import { ControllerError } from '@fairlead/controllers';
import {
  BadRequestError,
  HttpError,
  ListenError,
  type Middleware,
  ServiceUnavailableError,
  SetupError,
  ValidationError,
  type ValidationIssue,
} from '@fairlead/core';
import { describeError } from '@fairlead/pino';
import { StoreError } from '@fairlead/store';
import { NOT_AN_OBJECT, REQUIRED } from './users/schemas.js';

/**
 * Translates the errors of stores and schemas into those that clients receive.
 *
 * @throws {ServiceUnavailableError} 503 with `Retry-After`, for a transient StoreError, which is its cause.
 * @throws {BadRequestError} 400, for a ValidationError. Its message names the problems.
 */
export const translateErrors: Middleware = (_ctx, next) => {
  try {
    return next()?.catch(rethrow);
  } catch (error) {
    rethrow(error);
  }
};

function rethrow(cause: unknown): never {
  if (cause instanceof StoreError && cause.isTransient) {
    const { code, message } = cause;
    throw new ServiceUnavailableError(message, { code, retryAfter: 1, cause });
  }
  if (cause instanceof ValidationError) {
    const { code, details, issues } = cause;
    throw new BadRequestError(summarize(issues), { code, details, cause });
  }
  throw cause;
}

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
 * Describes an error for the log. An HttpError caused by a {@link StoreError} is described by its cause. A
 * transient StoreError has no stack, because it may occur with every request during an outage.
 */
export function serializeError(error: unknown): object {
  const isStoreFailure = error instanceof HttpError && error.cause instanceof StoreError;
  const described = isStoreFailure ? error.cause : error;
  const isTransient = described instanceof StoreError && described.isTransient;
  return describeError(described, { stack: !isTransient });
}

/**
 * Formats an error that ends the program. Expected errors are reduced to their message, which explains how
 * to fix them. Any other error has its stack.
 */
export function describeFailure(error: unknown, operationsPort?: number): string {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  const isArgument = String(code).startsWith('ERR_PARSE_ARGS');
  if (isArgument) return `users-api: ${String(message).replace(/\.$/, '')}. See --help.`;
  const expected = [ControllerError, SetupError, StoreError];
  if (!expected.some((type) => error instanceof type)) return inspect(error);
  if (!(error instanceof ListenError)) return `users-api: ${message}`;
  const name = error.port === operationsPort ? 'OPERATIONS_PORT' : 'PORT';
  return `users-api: ${message} ${name} and HOST set the address.`;
}
