import { HttpError } from '@fairlead/core';
import { StoreError } from '../users/store/store-error.js';

/** An error as the log shows it. */
export interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  /** The stack frames, without the message. */
  readonly stack?: string;
  readonly cause?: LoggedError;
  /** The errors of an AggregateError. */
  readonly errors?: readonly LoggedError[];
}

/** Maximum depth of causes, and maximum number of errors shown per AggregateError. */
const MAX_NESTED = 5;

/**
 * Describes a thrown value for the log, without data that users have sent.
 *
 * Other properties of an error are omitted, because drivers store user data in them. The message of
 * a PostgreSQL error may quote user data, so the SQLSTATE and routine replace it. An HttpError caused
 * by a {@link StoreError} is described by its cause. A transient StoreError has no stack, because it
 * may occur with every request during an outage.
 *
 * @param error - The thrown value.
 */
export function describeError(error: unknown): LoggedError {
  const isStoreFailure = error instanceof HttpError && error.cause instanceof StoreError;
  const described = isStoreFailure ? error.cause : error;
  const isTransient = described instanceof StoreError && described.isTransient;
  return describe(described, MAX_NESTED, !isTransient);
}

function describe(error: unknown, depth: number, hasStack: boolean): LoggedError {
  if (!(error instanceof Error))
    return { type: typeof error, message: 'thrown value is not an Error' };
  const { code } = error as { code?: unknown };
  const inner = depth > 0 ? depth - 1 : undefined;
  const errors = error instanceof AggregateError ? error.errors.slice(0, MAX_NESTED) : [];
  const stack = hasStack ? framesOf(error) : undefined;
  return {
    type: error.name,
    message: messageOf(error),
    ...(typeof code === 'string' || typeof code === 'number' ? { code: String(code) } : undefined),
    ...(stack === undefined ? undefined : { stack }),
    ...(error.cause === undefined || inner === undefined
      ? undefined
      : { cause: describe(error.cause, inner, hasStack) }),
    ...(errors.length === 0 || inner === undefined
      ? undefined
      : { errors: errors.map((one) => describe(one, inner, hasStack)) }),
  };
}

function messageOf(error: Error): string {
  const { severity, routine, code } = error as {
    severity?: string;
    routine?: string;
    code?: string;
  };
  const isFromPostgres = severity !== undefined && code !== undefined;
  return isFromPostgres ? `PostgreSQL: SQLSTATE ${code}, ${routine ?? severity}` : error.message;
}

/** Returns the frames of a stack without the message above them. */
function framesOf({ stack = '' }: Error): string | undefined {
  return /^ {4}at .*/ms.exec(stack)?.[0];
}
