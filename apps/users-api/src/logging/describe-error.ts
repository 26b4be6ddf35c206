import { HttpError } from '@fairlead/core';
import { StoreError } from '../users/store/store-error.js';

/** An error as it stands in the log. */
export interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  /** Where it was thrown, without its message. */
  readonly stack?: string;
  readonly cause?: LoggedError;
  /** What an AggregateError holds. */
  readonly errors?: readonly LoggedError[];
}

/** How deep causes are followed, and how many errors of one AggregateError are shown. */
const MOST = 5;

/**
 * Describes a thrown value for the log: its type, message, code, stack and causes, and no other
 * member, because drivers put what users sent into theirs. The message of an error that PostgreSQL
 * reports may quote a value too, so that its SQLSTATE and place stand instead. Of a 503 that a store
 * has caused it is the store's error; one that may pass comes with each request while it lasts, so
 * that it has no stacks.
 *
 * @param error - Anything that was thrown.
 */
export function describeError(error: unknown): LoggedError {
  const isOfStore = error instanceof HttpError && error.cause instanceof StoreError;
  const told = isOfStore ? error.cause : error;
  return describe(told, MOST, !(told instanceof StoreError && told.mayPass));
}

function describe(error: unknown, depth: number, hasStack: boolean): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'was thrown, no Error' };
  const { code } = error as { code?: unknown };
  const inner = depth > 0 ? depth - 1 : undefined;
  const errors = error instanceof AggregateError ? error.errors.slice(0, MOST) : [];
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

/** The lines of a stack below the message, which the stack repeats. */
function framesOf({ stack = '' }: Error): string | undefined {
  return /^ {4}at .*/ms.exec(stack)?.[0];
}
