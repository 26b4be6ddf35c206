/** Options of {@link describeError}. */
export interface DescribeErrorOptions {
  /** Whether to include stacks. Default true. Omit those of errors that an outage causes in every request. */
  readonly stack?: boolean;
}

/** Maximum depth of causes, and maximum number of errors shown per AggregateError. */
const MAX_NESTED = 5;

/**
 * Describes a thrown value for the log, without user data: type, message, code, frames of the stack, up to 5
 * causes, and the first 5 errors of an AggregateError.
 *
 * Other properties of an error are omitted, because drivers store user data in them. The message of a
 * PostgreSQL error may quote user data, so the SQLSTATE and routine replace it. A value that is not an Error
 * is described by its type only.
 */
export function describeError(error: unknown, { stack = true }: DescribeErrorOptions = {}): object {
  return describe(error, MAX_NESTED, stack);
}

function describe(error: unknown, depth: number, hasStack: boolean): object {
  if (!(error instanceof Error))
    return { type: typeof error, message: 'thrown value is not an Error' };
  const { name, message, cause, stack = '' } = error;
  const { code, severity, routine } = error as {
    code?: unknown;
    severity?: unknown;
    routine?: unknown;
  };
  const isFromPostgres = severity !== undefined && code !== undefined;
  const hasErrors = depth > 0 && error instanceof AggregateError;
  const inner = (one: unknown) => describe(one, depth - 1, hasStack);
  return {
    type: name,
    message: isFromPostgres ? `PostgreSQL: SQLSTATE ${code}, ${routine ?? severity}` : message,
    code: code === undefined ? undefined : String(code),
    stack: hasStack ? /^ {4}at .*/ms.exec(stack)?.[0] : undefined,
    cause: depth > 0 && cause !== undefined ? inner(cause) : undefined,
    errors: hasErrors ? error.errors.slice(0, MAX_NESTED).map(inner) : undefined,
  };
}
