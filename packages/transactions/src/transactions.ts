import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type AnyContext,
  HttpError,
  isHttpError,
  type Middleware,
  ServiceUnavailableError,
} from '@fairlead/core';
import {
  assertAnswered,
  assertOptions,
  type Doubt,
  describe,
  describeFactories,
  descriptionOf,
  opensWebSocket,
  type Placement,
  parseDeclaredBody,
  readHttpError,
  throwTogether,
} from '@fairlead/core/extend';
import {
  arrayOf,
  boolean,
  fn,
  integer,
  type Kinds,
  named,
  oneOf,
  reporterOf,
} from '@fairlead/options';
import {
  isConflict,
  isNetworkError,
  isUnreachable,
  type TransactionAdapter,
  type TransactionSettings,
} from './adapter.js';
import { findLateParser } from './late-parser.js';

/** Options of {@link Transactions.run}. */
export interface RunOptions extends TransactionSettings {
  /**
   * How often to run the work again after a serialization failure or a deadlock. The work must do nothing outside the
   * transaction that it may not do twice. Default 0.
   */
  readonly retries?: number;
}

/** Options of {@link Transactions.transaction}. */
export interface TransactionOptions extends TransactionSettings {
  /**
   * The statuses of errors and other responses from 400 on that commit, as `[401]` to count failed sign-ins. By default
   * all of them roll back.
   */
  readonly commits?: readonly number[];
  /** Whether the transaction rolls back if the client has disconnected before it ends. Default false. */
  readonly rollsBackOnDisconnect?: boolean;
}

/** Transactions of a database. */
export interface Transactions<Client> {
  /**
   * What runs statements: the transaction that the caller runs in, or the database without one.
   *
   * @throws {Error} When that transaction has ended, as for code that nothing awaits.
   */
  readonly client: Client;
  /** Whether the caller runs in a transaction. */
  readonly isOpen: boolean;
  /**
   * Creates middleware that runs the rest of a request in a transaction. It commits before the response is sent, and
   * rolls back when the handler throws or the response is an error. If the commit fails, the client gets that error.
   *
   * It may be on a route, a router or a controller, in the list `middleware`, or the decorator `@UseMiddleware()`.
   *
   * @throws {ServiceUnavailableError} 503 with `Retry-After: 1`, when nothing was stored: `TRANSACTION_CONFLICT`, after a
   *   serialization failure or a deadlock, and `DATABASE_UNREACHABLE`, when there is no connection.
   * @throws {HttpError} 500 `TRANSACTION_OUTCOME_UNKNOWN`, when the connection is lost during the commit.
   */
  transaction(options?: TransactionOptions): Middleware;
  /** Runs work in a transaction: within another one, behind a savepoint. */
  run<T>(work: () => T | Promise<T>, options?: RunOptions): Promise<T>;
  /**
   * Calls a function once the transaction of the caller is committed; never, when it rolls back. The response does not
   * wait for it. Its errors go to `onError` of the application, or of {@link createTransactions}. Without a transaction,
   * it is called at once.
   */
  afterCommit(callback: () => unknown): void;
  /** How statements run, for middleware such as `idempotency()`. */
  readonly adapter: TransactionAdapter<Client>;
}

/** Options of {@link createTransactions}. */
export interface TransactionsOptions {
  /** Receives the errors of {@link Transactions.afterCommit} outside requests. Default: `console.error`. */
  readonly onError?: (error: unknown) => void;
}

const SETTINGS: Kinds<TransactionSettings> = {
  isolation: oneOf('read committed', 'repeatable read', 'serializable'),
  readOnly: boolean,
};
const RUN_OPTIONS: Kinds<RunOptions> = { ...SETTINGS, retries: integer(0) };
export const TRANSACTION_OPTIONS: Kinds<TransactionOptions> = {
  ...SETTINGS,
  commits: arrayOf(integer(400, 599), 'an array of statuses from 400 to 599'),
  rollsBackOnDisconnect: boolean,
};
const TRANSACTIONS_OPTIONS: Kinds<TransactionsOptions> = { onError: fn };

/** A transaction, or the part of one behind a savepoint. */
interface Unit<Client> {
  readonly client: Client;
  readonly callbacks: (() => unknown)[];
  hasEnded: boolean;
  /** Settles with the last part behind a savepoint. Those of one connection can't overlap. */
  part: Promise<unknown>;
  /** What to name in errors. */
  readonly owner: string;
}

/**
 * Runs work in a transaction, or in a part of the present one.
 *
 * @param owner - What to name in errors.
 * @param report - Receives the errors of callbacks after the commit.
 */
type Open = <T>(
  owner: string,
  settings: TransactionSettings,
  report: (error: unknown) => void,
  work: () => Promise<T>,
) => Promise<T>;

/** Rejects the work of a transaction that has to roll back without an error. */
const ROLLBACK = new Error('The transaction rolls back.');

/**
 * Creates the transactions of a database.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid.
 */
export function createTransactions<Client>(
  adapter: TransactionAdapter<Client>,
  options: TransactionsOptions = {},
): Transactions<Client> {
  assertOptions('createTransactions()', options, TRANSACTIONS_OPTIONS);
  const onError = reporterOf('onError of createTransactions()', options.onError);
  const { lacks = [] } = adapter;
  const assertSettings = <Options extends object>(
    call: string,
    settings: Options,
    kinds: Kinds<Options>,
  ): void => {
    assertOptions(call, settings, kinds);
    const refused = lacks.includes('settings')
      ? Object.keys(SETTINGS).filter((name) => Reflect.get(Object(settings), name) !== undefined)
      : [];
    throwTogether(
      refused.map(
        (name) => `${call} cannot use ${name}, which the database does not have. Remove it.`,
      ),
    );
  };
  const refuses = ({ routes }: Placement): string | undefined => {
    const isSame = (one: object) => descriptionOf(one)?.unitOf === adapter;
    const route = routes.find(({ before }) => before.some(isSame));
    if (!lacks.includes('savepoints') || route === undefined) return undefined;
    return `${route.method} ${route.pattern} has two transactions of a database without savepoints, so that one cannot be part of the other. Remove one of them.`;
  };
  const storage = new AsyncLocalStorage<Unit<Client> | undefined>();

  const open: Open = async (owner, settings, report, work) => {
    const outer = storage.getStore();
    if (outer?.hasEnded) throw ended(outer);
    const callbacks: (() => unknown)[] = [];
    /** What the work threw. A rollback that fails would hide it. */
    let failure: unknown;
    const explain = (error: unknown): never => {
      const isHiding = failure !== undefined && error !== failure;
      if (isHiding && error instanceof Error && Object.isExtensible(error)) error.cause ??= failure;
      throw error;
    };
    const within = async (client: Client) => {
      const unit: Unit<Client> = {
        client,
        callbacks,
        hasEnded: false,
        part: Promise.resolve(),
        owner,
      };
      try {
        return await storage.run(unit, work);
      } catch (error) {
        failure = error;
        throw error;
      } finally {
        unit.hasEnded = true;
        // One that nothing awaits still uses the connection.
        await unit.part;
      }
    };
    if (outer !== undefined) {
      if (lacks.includes('savepoints')) throw unnested(owner, outer);
      const part = outer.part.then(() => {
        if (outer.hasEnded) throw ended(outer);
        return behindSavepoint(adapter, outer.client, () => within(outer.client));
      });
      outer.part = part.catch(() => undefined);
      const result = await part.catch(explain);
      outer.callbacks.push(...callbacks);
      return result;
    }
    const result = await adapter.transact(within, settings).catch(explain);
    for (const callback of callbacks) void storage.run(undefined, call, callback, report);
    return result;
  };

  const transactions: Transactions<Client> = {
    adapter,
    get client() {
      const unit = storage.getStore();
      if (unit?.hasEnded) throw ended(unit);
      return unit === undefined ? adapter.client : unit.client;
    },
    get isOpen() {
      return storage.getStore()?.hasEnded === false;
    },
    transaction(settings: TransactionOptions = {}) {
      assertSettings('transaction()', settings, TRANSACTION_OPTIONS);
      const isWhole = () => storage.getStore() === undefined;
      const middleware = createMiddleware(settings, open, adapter, isWhole);
      return describe(middleware, { unitOf: adapter, refuses });
    },
    async run<T>(work: () => T | Promise<T>, settings: RunOptions = {}) {
      assertSettings('run()', settings, RUN_OPTIONS);
      // Only a whole transaction can run again.
      const retries = storage.getStore() === undefined ? (settings.retries ?? 0) : 0;
      for (let left = retries; ; left -= 1) {
        try {
          return await open('run()', settings, onError, async () => work());
        } catch (error) {
          if (left <= 0 || !isConflict(error)) throw error;
        }
      }
    },
    afterCommit(callback: () => unknown) {
      const unit = storage.getStore();
      if (unit?.hasEnded) throw ended(unit);
      if (unit === undefined) void call(callback, onError);
      else unit.callbacks.push(callback);
    },
  };
  describeFactories(transactions.transaction);
  return Object.freeze(describe(transactions, { name: 'createTransactions()', unitOf: adapter }));
}

/** Runs a part of a transaction, which rolls back alone when it rejects. */
async function behindSavepoint<Client, T>(
  adapter: TransactionAdapter<Client>,
  client: Client,
  work: () => Promise<T>,
): Promise<T> {
  const execute = (statement: string) => adapter.query(client, statement, []);
  await execute('SAVEPOINT fairlead');
  try {
    const result = await work();
    await execute('RELEASE SAVEPOINT fairlead');
    return result;
  } catch (error) {
    await execute('ROLLBACK TO SAVEPOINT fairlead');
    await execute('RELEASE SAVEPOINT fairlead');
    throw error;
  }
}

async function call(callback: () => unknown, report: (error: unknown) => void): Promise<void> {
  try {
    await callback();
  } catch (cause) {
    report(
      new Error('A callback of afterCommit() failed. The transaction is committed.', { cause }),
    );
  }
}

function ended({ owner }: { readonly owner: string }): Error {
  return new Error(
    `The transaction of ${owner} has ended. Await every statement in it, and read everything before you return a stream. For work afterwards, use afterCommit().`,
  );
}

function unnested(owner: string, outer: { readonly owner: string }): Error {
  return new Error(
    `The transaction of ${owner} cannot be part of that of ${outer.owner}, because the database has no savepoints. Call the work without run().`,
  );
}

function createMiddleware(
  { commits = [], rollsBackOnDisconnect = false, ...settings }: TransactionOptions,
  open: Open,
  adapter: Pick<TransactionAdapter<never>, 'isUnreachable'>,
  isWhole: () => boolean,
): Middleware {
  const mayCommit = (status: number): boolean => status < 400 || commits.includes(status);
  const isLost = (error: unknown): boolean => (adapter.isUnreachable ?? isUnreachable)(error);
  const transaction: Middleware = async (ctx, next) => {
    let thrown: { readonly error: unknown } | undefined;
    let [isCommitting, isCommitted] = [false, false];
    const ownsCommit = isWhole();
    const work = async (): Promise<void> => {
      try {
        await next();
      } catch (error) {
        thrown = { error };
      }
      if (thrown === undefined) assertWholeResponse(ctx);
      const status = thrown === undefined ? sentStatusOf(ctx) : statusOf(thrown.error);
      const hasLeft = rollsBackOnDisconnect && ctx.signal.aborted;
      if (!mayCommit(status) || hasLeft) throw ROLLBACK;
      if (ctx.res.headersSent) ctx.report(sentEarly(ctx));
      isCommitting = ownsCommit;
    };
    const report = (error: unknown): void => ctx.report(error);
    // A slow client must not keep a connection.
    if (ownsCommit) await parseDeclaredBody(ctx);
    try {
      await open(`${ctx.method} ${ctx.path}`, settings, report, work);
      isCommitted = true;
    } catch (error) {
      if (error !== ROLLBACK) {
        if (isConflict(error) || !(isLost(error) || isNetworkError(error))) throw conflictOf(error);
        if (isCommitting) throw outcomeUnknown(error);
        // It has rolled back, whether or not the connection was lost.
        if (readHttpError(thrown?.error) === undefined) throw unreachable(thrown?.error ?? error);
      }
    }
    if (thrown === undefined) return;
    const { error } = thrown;
    const isRepeatable = !isCommitted && readHttpError(error) === undefined && isLost(error);
    throw isRepeatable ? unreachable(error) : conflictOf(error);
  };
  return describe(named('transaction', transaction), {
    role: 'middleware',
    check: (placement) =>
      findSockets(placement) ??
      findLateParser('transaction()', 'so that slow clients keep connections', placement),
    sends: { responses: { 503: { description: UNAVAILABLE } } },
  });
}

/** Describes the 503 in documents. */
export const UNAVAILABLE =
  'Another transaction was in the way, or the database could not be reached.';

/**
 * Checks that there is a response, and that it is no stream: that would be read after the transaction has ended, outside
 * of it.
 *
 * @throws {TypeError} For a stream.
 * @throws {InternalServerError} 500 `NO_RESPONSE`.
 */
export function assertWholeResponse(ctx: AnyContext): void {
  assertAnswered(ctx);
  if (!isStreamed(ctx)) return;
  const { method, path } = ctx;
  throw new TypeError(
    `The response to ${method} ${path} is a stream, which is read after its transaction has ended. Return a value, text or bytes, or call run() in the handler instead. The transaction was rolled back.`,
  );
}

/** Whether the response is read only after middleware has run. */
export function isStreamed({ responseBody }: AnyContext): boolean {
  return typeof responseBody === 'object' && !(responseBody instanceof Uint8Array);
}

/** Creates the error for a response that was written to the raw response, as Express middleware does. */
function sentEarly({ method, path }: AnyContext): Error {
  return new Error(
    `The response to ${method} ${path} was sent before the commit of its transaction, because something has written to ctx.res. Return the response instead, or call run() in the handler.`,
  );
}

/** Returns the status of a response: 499 if the client has left before the function that took it over sent anything. */
function sentStatusOf({ res, status, takenOver }: AnyContext): number {
  if (!takenOver) return status;
  return res.destroyed && !res.headersSent ? 499 : res.statusCode;
}

/** Returns the status that a thrown value responds with. */
export function statusOf(error: unknown): number {
  return readHttpError(error)?.status ?? 500;
}

/** Turns a conflict with another transaction into an error after which the client may send the request again. */
function conflictOf(error: unknown): unknown {
  if (!isConflict(error)) return error;
  return new ServiceUnavailableError('Another request was in the way. Send this one again.', {
    code: 'TRANSACTION_CONFLICT',
    retryAfter: 1,
    cause: error,
  });
}

/** Creates the error for a database that can't be reached, when nothing was stored. */
export function unreachable(cause: unknown): ServiceUnavailableError {
  return new ServiceUnavailableError('The database cannot be reached. Send the request again.', {
    code: 'DATABASE_UNREACHABLE',
    retryAfter: 1,
    cause,
  });
}

const OUTCOME_UNKNOWN = 'TRANSACTION_OUTCOME_UNKNOWN';

/** Creates the error for a connection that was lost during the commit, which may have succeeded. */
function outcomeUnknown(cause: unknown): HttpError {
  return new HttpError(
    500,
    'The connection to the database was lost during the commit. Check whether the changes exist before you send the request again.',
    { code: OUTCOME_UNKNOWN, expose: true, report: true, cause },
  );
}

/** Whether an error says that the commit may have succeeded. */
export function isOutcomeUnknown(error: unknown): error is HttpError {
  return isHttpError(error) && error.code === OUTCOME_UNKNOWN;
}

/** Finds WebSocket routes, whose transaction ends before the first message. */
function findSockets({ routes }: Placement): Doubt | undefined {
  const route = routes.find(({ after }) => opensWebSocket(after));
  if (route === undefined) return undefined;
  const message = `transaction() ends before the first message of ${route.method} ${route.pattern}, which opens a WebSocket connection. Call run() for each message, or pass the result of transaction() to intended().`;
  return { code: 'FAIRLEAD_ROUTE', message };
}
