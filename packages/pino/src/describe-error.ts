/** Options of {@link describeError}. */
export interface DescribeErrorOptions {
  /** Whether to include stacks. Default true. Omit those of errors that an outage causes in every request. */
  readonly stack?: boolean;
}

/** Maximum depth of causes, and maximum number of errors shown per AggregateError. */
const MAX_NESTED = 5;

/**
 * Describes a thrown value for the log, without user data: type, message, code, frames of the stack, up to 5
 * causes, the first 5 errors of an AggregateError, and both of a SuppressedError.
 *
 * Other properties of an error are omitted, because drivers store user data in them. The message of a
 * PostgreSQL error may quote user data, so the SQLSTATE and routine replace it, with the schema, table, column,
 * data type and constraint. If a driver or query builder knows the statement, its text is included, without its
 * parameters. A value that is not an Error is described by its type only.
 */
export function describeError(error: unknown, { stack = true }: DescribeErrorOptions = {}): object {
  return describe(error, MAX_NESTED, stack);
}

function describe(error: unknown, depth: number, hasStack: boolean): object {
  if (!(error instanceof Error))
    return { type: typeof error, message: 'thrown value is not an Error' };
  const { name, message, cause, stack = '' } = error;
  const { code, severity, routine } = Object(error) as Details;
  const isFromPostgres = severity !== undefined && code !== undefined;
  const statement = statementOf(error);
  const inner = (one: unknown) => describe(one, depth - 1, hasStack);
  return {
    type: name,
    message: isFromPostgres
      ? `PostgreSQL: SQLSTATE ${code}, ${routine ?? severity}`
      : // Query builders append the statement and its parameters.
        statement === undefined
        ? message
        : 'The statement failed.',
    code: code === undefined ? undefined : String(code),
    ...(isFromPostgres && placeOf(error)),
    statement,
    stack: hasStack ? /^ {4}at .*/ms.exec(stack)?.[0] : undefined,
    cause: depth > 0 && cause !== undefined ? inner(cause) : undefined,
    errors: depth > 0 ? errorsOf(error)?.slice(0, MAX_NESTED).map(inner) : undefined,
  };
}

/** Returns the errors that an error stands for: several, or one and that of `using` after it. */
function errorsOf(error: Error): readonly unknown[] | undefined {
  if (error instanceof AggregateError) return error.errors;
  // Older versions of Node.js have no such class, and compilers create an Error of this name.
  const { name, suppressed, error: later } = Object(error) as Details;
  return name === 'SuppressedError' && later !== undefined ? [suppressed, later] : undefined;
}

/** Members that errors of databases may have. */
type Details = Readonly<Record<string, unknown>>;

/** What a PostgreSQL error is about, by the names of `pg`, and by those of `postgres`. Never contains values. */
const PLACES = {
  schema: 'schema_name',
  table: 'table_name',
  column: 'column_name',
  dataType: 'type_name',
  constraint: 'constraint_name',
};

function placeOf(error: object): object {
  const details = Object(error) as Details;
  const places = Object.entries(PLACES).map(([name, other]) => [
    name,
    details[name] ?? details[other],
  ]);
  return Object.fromEntries(places.filter(([, place]) => typeof place === 'string'));
}

/** Longest text of a statement. */
const MAX_STATEMENT = 2_000;

/** Returns the text of a statement with parameters that an error belongs to, such as that of Drizzle. */
function statementOf(error: object): string | undefined {
  const { query, params, parameters } = Object(error) as Details;
  if (typeof query !== 'string' || !Array.isArray(params ?? parameters)) return undefined;
  return query.slice(0, MAX_STATEMENT);
}
