/** How strictly a transaction is isolated from others. @see https://www.postgresql.org/docs/current/transaction-iso.html */
export type Isolation = 'read committed' | 'repeatable read' | 'serializable';

/** What a transaction is for. */
export interface TransactionSettings {
  /** By default, that of the database. */
  readonly isolation?: Isolation | undefined;
  /** Whether writes fail. Default false. */
  readonly readOnly?: boolean | undefined;
}

/**
 * How to use one library for databases. `@fairlead/transactions/pg`, `/kysely` and `/drizzle` have one each.
 *
 * @typeParam Client - What statements run on, inside and outside a transaction.
 */
export interface TransactionAdapter<Client> {
  /** What runs statements outside a transaction, such as a pool. */
  readonly client: Client;
  /**
   * What the database does not have. Default: nothing. `savepoints` are for parts of transactions, `settings` are the
   * members of {@link TransactionSettings}, and `sql` is that of PostgreSQL, for `query()`.
   */
  readonly lacks?: readonly ('savepoints' | 'settings' | 'sql')[];
  /** How a database without the SQL of PostgreSQL keeps the keys of `idempotency()`. */
  readonly keys?: ResponseKeys<Client>;
  /** What the transactions are of, such as a store, for those who must have the same one. */
  readonly database?: object;
  /**
   * Begins a transaction, and ends it with the work: commits when it resolves, and rolls back when it rejects. Rejects
   * when the commit fails, when the database has rolled back instead, and with the error of a connection that was lost.
   */
  transact<T>(work: (client: Client) => Promise<T>, settings: TransactionSettings): Promise<T>;
  /** Runs a statement of PostgreSQL with the parameters `$1`, `$2` and so on. */
  query(
    client: Client,
    text: string,
    values: readonly unknown[],
  ): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /**
   * Whether an error of the library means that the database can't be reached. Default: {@link isUnreachable}. Errors of
   * the network with which `transact()` rejects always mean that.
   */
  isUnreachable?(error: unknown): boolean;
}

/** A response that was sent for a key. */
export interface KeptResponse {
  /** Identifies what the request asked for. */
  readonly fingerprint: string;
  /** 0 if the handler took over the response, which is then not kept. */
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string | string[]])[];
  readonly body: Uint8Array;
}

/** The keys of `idempotency()` in a database that makes the writes of a transaction at its commit. */
export interface ResponseKeys<Client> {
  /** Returns what is kept for a key; undefined if it has expired. */
  find(principal: string, key: string): KeptResponse | undefined;
  /**
   * Adds a key to the writes of a transaction, whose commit fails if the key exists.
   *
   * @param lifetime - In milliseconds.
   */
  add(
    client: Client,
    principal: string,
    key: string,
    response: KeptResponse,
    lifetime: number,
  ): Promise<void>;
}

/**
 * The codes of PostgreSQL for transactions that can succeed when they run again: a serialization failure and a deadlock.
 *
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const CONFLICTS: ReadonlySet<unknown> = new Set(['40001', '40P01']);

/** Whether a transaction failed because of another one, and can succeed when it runs again. */
export function isConflict(error: unknown): boolean {
  return CONFLICTS.has(codeOf(error));
}

/**
 * Whether an error of PostgreSQL, or of its drivers `pg` and `postgres`, means that the database can't be reached: a
 * refused, lost or late connection, or a server that starts, stops or has no connection left.
 *
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export function isUnreachable(error: unknown): boolean {
  return linksOf(error).some(
    ({ code, originalCode = code, message }) =>
      UNREACHABLE.test(String(originalCode)) || DISCONNECTED.test(String(message)),
  );
}

/** Whether an error is one of the network, whichever service it is about. */
export function isNetworkError(error: unknown): boolean {
  return linksOf(error).some(({ code }) => NETWORK.test(String(code)));
}

/** Returns the code of an error of PostgreSQL. */
export function codeOf(error: unknown): unknown {
  return linksOf(error)
    .map(({ code, originalCode = code }) => originalCode)
    .find((code) => typeof code === 'string' && CODE.test(code));
}

/** Returns an error and its causes. Libraries wrap that of the database in their own, Prisma also in `meta`. */
function linksOf(error: unknown): Readonly<Record<string, unknown>>[] {
  const links = new Set<Readonly<Record<string, unknown>>>();
  for (let one = error; typeof one === 'object' && one !== null; ) {
    const link = one as Readonly<Record<string, unknown>>;
    if (links.has(link)) break;
    links.add(link);
    one = Object(link.meta).driverAdapterError ?? link.cause;
  }
  return [...links];
}

/** Matches the codes of PostgreSQL, but none of Prisma, such as `P2034`. */
const CODE = /^(?!P[1-9])[\dA-Z]{5}$/;

/** Connections, their number, and servers that stop or start; and the codes of `postgres`. */
const UNREACHABLE =
  /^(?:08[\dA-Z]{3}|53300|57P0[1235]|CONNECTION_(?:CLOSED|ENDED|DESTROYED)|CONNECT_TIMEOUT)$/;

/** The messages of `pg`, whose errors have no code. */
const DISCONNECTED =
  /^(?:Connection terminated|timeout exceeded when trying to connect$|timeout expired$|Client .* is not queryable$)/;

const NETWORK =
  /^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|ENOTFOUND|EAI_AGAIN)$/;
