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
 * reports may quote a value too, so that its SQLSTATE and place stand instead.
 *
 * @param error - Anything that was thrown.
 */
export function describeError(error: unknown): LoggedError {
  return describe(error, MOST);
}

function describe(error: unknown, depth: number): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'was thrown, no Error' };
  const { code } = error as { code?: unknown };
  const inner = depth > 0 ? depth - 1 : undefined;
  const errors = error instanceof AggregateError ? error.errors.slice(0, MOST) : [];
  const stack = framesOf(error);
  return {
    type: error.name,
    message: messageOf(error),
    ...(typeof code === 'string' || typeof code === 'number' ? { code: String(code) } : undefined),
    ...(stack === undefined ? undefined : { stack }),
    ...(error.cause === undefined || inner === undefined
      ? undefined
      : { cause: describe(error.cause, inner) }),
    ...(errors.length === 0 || inner === undefined
      ? undefined
      : { errors: errors.map((one) => describe(one, inner)) }),
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
