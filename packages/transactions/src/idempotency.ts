import { once } from 'node:events';
import type { Context, Middleware, Next } from '@fairlead/core';
import { describeFactories, throwTogether } from '@fairlead/core/extend';
import { findOptionProblems, type Kinds } from '@fairlead/options';
import { codeOf, type KeptResponse, type ResponseKeys } from './adapter.js';
import {
  DAY,
  describeKeyed,
  findMissingPrincipal,
  inUse,
  isTakenOver,
  KEY_OPTIONS,
  type KeyedRequest,
  type KeyOptions,
  notKept,
  PATIENCE,
  readKeyedRequest,
  replay,
  responseOf,
} from './keyed-request.js';
import { assertTable, explainMissingTable, tableName } from './table-name.js';
import {
  assertWholeResponse,
  isOutcomeUnknown,
  statusOf,
  TRANSACTION_OPTIONS,
  type TransactionOptions,
  type Transactions,
  UNAVAILABLE,
  unreachable,
} from './transactions.js';

/** Options of {@link idempotency}. */
export interface IdempotencyOptions extends KeyOptions {
  /** The name of the table. Default `idempotency_keys`. */
  readonly table?: string;
}

const TABLE = 'idempotency_keys';

const IDEMPOTENCY_OPTIONS: Kinds<IdempotencyOptions & TransactionOptions> = {
  ...TRANSACTION_OPTIONS,
  ...KEY_OPTIONS,
  table: tableName,
};

/**
 * Returns the statement that creates the table of {@link idempotency}, for a migration. Delete old keys regularly:
 * `DELETE FROM idempotency_keys WHERE expires_at < now()`.
 */
export function idempotencyTable(table = TABLE): string {
  assertTable('idempotencyTable()', table);
  return `CREATE TABLE ${table} (
  principal text NOT NULL,
  key text NOT NULL,
  fingerprint text NOT NULL,
  expires_at timestamptz NOT NULL,
  status smallint,
  headers jsonb,
  body bytea,
  PRIMARY KEY (principal, key)
);
CREATE INDEX ON ${table} (expires_at);
`;
}

/**
 * Creates middleware that runs the rest of a request in a transaction, once for each `Idempotency-Key`: the key and the
 * response are stored in that transaction, so that they exist if and only if its writes do. A request with the same key
 * gets the response of the first, with `Idempotency-Replayed: true`. Needs PostgreSQL and {@link idempotencyTable}, or a
 * store with `keys`.
 *
 * It runs after the middleware that authenticates, and reads the body first.
 *
 * @throws {BadRequestError} 400 `MISSING_IDEMPOTENCY_KEY` and `INVALID_IDEMPOTENCY_KEY`.
 * @throws {HttpError} 409 `IDEMPOTENCY_KEY_IN_USE`, when the first request still runs after `patience`; 422
 *   `IDEMPOTENCY_KEY_REUSED`, when it was another request; 409 `IDEMPOTENCY_RESPONSE_NOT_KEPT`, when its handler took over
 *   the response.
 * @throws {ServiceUnavailableError} 503, as of `transaction()`, and also when the connection is lost during the commit.
 * @throws {SetupError} `INVALID_OPTION`, when an option is missing, unknown or invalid.
 * @see draft-ietf-httpapi-idempotency-key-header-07
 */
export function idempotency<Client>(
  transactions: Transactions<Client>,
  options: IdempotencyOptions & TransactionOptions,
): Middleware {
  const call = 'idempotency()';
  const problems = findOptionProblems(call, options, IDEMPOTENCY_OPTIONS);
  problems.push(...findMissingPrincipal(call, options));
  const { adapter } = transactions;
  const { lacks = [], keys } = adapter;
  if (lacks.includes('sql') && keys === undefined)
    problems.push(
      'idempotency() needs PostgreSQL, or a store with keys. Pass those of a store to storeAdapter(database, { keys }).',
    );
  if (keys !== undefined && Object(options).table !== undefined)
    problems.push('idempotency() cannot use the option table with a store. Remove it.');
  throwTogether(problems);
  const {
    principal,
    required = false,
    lifetime = DAY,
    patience = PATIENCE,
    table = TABLE,
    ...settings
  } = options;
  const transact = transactions.transaction(settings);
  const query = (text: string, ...values: readonly unknown[]) =>
    adapter.query(transactions.client, text, values);

  /** Waits for a transaction with the same key, and returns the response that it has stored. */
  const claim = async (
    owner: string,
    key: string,
    fingerprint: string,
    attempts = 3,
  ): Promise<KeptResponse | undefined> => {
    // A number, which needs no parameter.
    await query(`SET LOCAL lock_timeout = ${patience}`);
    const claimed = await query(
      `INSERT INTO ${table} AS kept (principal, key, fingerprint, expires_at)
       VALUES ($1, $2, $3, now() + $4 * interval '1 millisecond')
       ON CONFLICT (principal, key) DO UPDATE SET fingerprint = excluded.fingerprint,
         expires_at = excluded.expires_at, status = NULL, headers = NULL, body = NULL
       WHERE kept.expires_at < now() RETURNING 1`,
      owner,
      key,
      fingerprint,
      lifetime,
    ).catch((error: unknown) => {
      throw codeOf(error) === LOCK_NOT_AVAILABLE
        ? inUse(error)
        : explainMissingTable(error, table, 'idempotencyTable()');
    });
    await query('SET LOCAL lock_timeout TO DEFAULT');
    if (claimed.length > 0) return undefined;
    const [kept] = await query(
      `SELECT fingerprint, status, headers, body FROM ${table} WHERE principal = $1 AND key = $2`,
      owner,
      key,
    );
    if (kept !== undefined) return kept as unknown as KeptResponse;
    // Another process may have deleted it as an old one.
    if (attempts > 1) return claim(owner, key, fingerprint, attempts - 1);
    throw new Error(
      `idempotency() can neither insert a key into ${table} nor read it. Let the role of the application read all rows of the table.`,
    );
  };

  const keep = async (owner: string, key: string, response: KeptResponse) => {
    const { status, headers, body } = response;
    await query(
      `UPDATE ${table} SET status = $3, headers = $4, body = $5 WHERE principal = $1 AND key = $2`,
      owner,
      key,
      status,
      JSON.stringify(headers),
      body,
    );
  };

  /** Forgets the key of a request whose error commits, because the response to an error isn't stored. */
  const runOnce = async (next: Next, owner: string, key: string): Promise<void> => {
    try {
      await next();
    } catch (error) {
      if (settings.commits?.includes(statusOf(error)) === true)
        await query(`DELETE FROM ${table} WHERE principal = $1 AND key = $2`, owner, key);
      throw error;
    }
  };

  const wholeResponseOf = (ctx: Context, request: KeyedRequest): KeptResponse => {
    // transaction() checks it, but only after this.
    assertWholeResponse(ctx);
    if (isTakenOver(ctx)) transactions.afterCommit(() => ctx.report(notKept(call, ctx)));
    return responseOf(ctx, request);
  };

  const one = keys && oneAtATime(keys);
  const idempotent: Middleware = async (ctx, next) => {
    const request = await readKeyedRequest(call, ctx, { principal, required });
    if (request === undefined) return transact(ctx, next);
    const { owner, key, fingerprint } = request;
    let isCommitting = false;
    const run = async (): Promise<void> => {
      if (one === undefined) {
        await transact(ctx, async () => {
          const kept = await claim(owner, key, fingerprint);
          if (kept === undefined) {
            await runOnce(next, owner, key);
            await keep(owner, key, wholeResponseOf(ctx, request));
          } else replay(ctx, kept, request);
          isCommitting = true;
        });
        return;
      }
      await one(owner, key, patience, async (found, add) => {
        if (found !== undefined) return replay(ctx, found, request);
        await transact(ctx, async () => {
          await next();
          await add(transactions.client, wholeResponseOf(ctx, request), lifetime);
          isCommitting = true;
        });
      });
    };
    try {
      await run();
    } catch (error) {
      // The key is stored if and only if the writes are, so that a repeated request is safe.
      throw isCommitting && isOutcomeUnknown(error) ? unreachable(error.cause) : error;
    }
  };
  return describeKeyed(call, idempotent, { required, wraps: transact, unavailable: UNAVAILABLE });
}

describeFactories(idempotency);

/**
 * Lets requests with the same key wait for each other within this process. Another process may run one at the same time:
 * then the later commit fails.
 */
function oneAtATime<Client>(keys: ResponseKeys<Client>) {
  const running = new Map<string, Promise<unknown>>();
  type Add = (client: Client, response: KeptResponse, lifetime: number) => Promise<void>;
  return async (
    owner: string,
    key: string,
    patience: number,
    work: (found: KeptResponse | undefined, add: Add) => Promise<void> | void,
  ): Promise<void> => {
    const id = JSON.stringify([owner, key]);
    if (running.has(id)) {
      const deadline = AbortSignal.timeout(patience);
      const late = once(deadline, 'abort').then(() => {
        throw inUse(deadline.reason);
      });
      late.catch(() => undefined);
      for (let other = running.get(id); other !== undefined; other = running.get(id))
        await Promise.race([other, late]);
    }
    const own = (async () => {
      const add: Add = (client, ...rest) => keys.add(client, owner, key, ...rest);
      try {
        await work(keys.find(owner, key), add);
      } catch (error) {
        const isRace = Object(error).code === 'STORE_CONSTRAINT' && keys.find(owner, key);
        throw isRace ? inUse(error) : error;
      }
    })();
    const settled = own.then(
      () => running.delete(id),
      () => running.delete(id),
    );
    running.set(id, settled);
    await own;
  };
}

/** The code of PostgreSQL for a lock that was not granted within `lock_timeout`. */
const LOCK_NOT_AVAILABLE = '55P03';
