import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  BadRequestError,
  type Context,
  HttpError,
  type Middleware,
  type Next,
} from '@fairlead/core';
import {
  describe,
  describeFactories,
  descriptionOf,
  isSecured,
  type Placement,
  requireParsedBody,
  throwTogether,
} from '@fairlead/core/extend';
import { boolean, findOptionProblems, fn, integer, type Kinds, named } from '@fairlead/options';
import { codeOf, type KeptResponse, type ResponseKeys } from './adapter.js';
import { assertTable, tableName } from './table-name.js';
import {
  assertWhole,
  statusOf,
  TRANSACTION_OPTIONS,
  type TransactionOptions,
  type Transactions,
} from './transactions.js';

/** Options of {@link idempotency}. */
export interface IdempotencyOptions {
  /**
   * Returns whose key it is, such as the ID of the user: two of them may choose the same key. Return a constant for
   * routes without sign-in, where a key of another client would reveal its response.
   */
  readonly principal: (ctx: Context) => string;
  /** Whether a request without a key is a 400. Default false: it runs once for each request. */
  readonly required?: boolean;
  /** Milliseconds for which a key is kept. Default 86,400,000: one day. */
  readonly lifetime?: number;
  /** Milliseconds to wait for a request with the same key that still runs. Default 10,000. */
  readonly patience?: number;
  /** The name of the table. Default `idempotency_keys`. */
  readonly table?: string;
}

const TABLE = 'idempotency_keys';

const IDEMPOTENCY_OPTIONS: Kinds<IdempotencyOptions & TransactionOptions> = {
  ...TRANSACTION_OPTIONS,
  principal: fn,
  required: boolean,
  lifetime: integer(1_000, undefined, 'number of milliseconds'),
  patience: integer(1, undefined, 'number of milliseconds'),
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
 * gets the response of the first, with `Idempotency-Replayed: true`. Needs PostgreSQL, and {@link idempotencyTable}.
 *
 * It runs after the middleware that authenticates, and reads the body first.
 *
 * @throws {BadRequestError} 400 `MISSING_IDEMPOTENCY_KEY` and `INVALID_IDEMPOTENCY_KEY`.
 * @throws {HttpError} 409 `IDEMPOTENCY_KEY_IN_USE`, when the first request still runs after `patience`; 422
 *   `IDEMPOTENCY_KEY_REUSED`, when it was another request.
 * @throws {SetupError} `INVALID_OPTION`, when an option is missing, unknown or invalid.
 * @see draft-ietf-httpapi-idempotency-key-header-07
 */
export function idempotency<Client>(
  transactions: Transactions<Client>,
  options: IdempotencyOptions & TransactionOptions,
): Middleware {
  const problems = findOptionProblems('idempotency()', options, IDEMPOTENCY_OPTIONS);
  if (Object(options).principal === undefined)
    problems.push(
      'idempotency() needs the option principal. Pass a function that returns whose key it is, such as the ID of the user.',
    );
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
    lifetime = 86_400_000,
    patience = 10_000,
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
      throw codeOf(error) === LOCK_NOT_AVAILABLE ? inUse(error) : error;
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

  const one = keys && oneAtATime(keys);
  const idempotent: Middleware = async (ctx, next) => {
    const key = keyOf(ctx);
    if (key === undefined && required) throw missingKey();
    // A slow client must not keep a connection.
    await requireParsedBody(ctx);
    if (key === undefined) return transact(ctx, next);
    const owner = principal(ctx);
    if (typeof owner !== 'string') throw wrongPrincipal(owner);
    const fingerprint = fingerprintOf(ctx);
    const before = new Map([...ctx.responseHeaders].map(([name, value]) => [name, String(value)]));
    if (one !== undefined) {
      await one(owner, key, patience, async (found, add) => {
        if (found !== undefined) return replay(ctx, found, fingerprint);
        await transact(ctx, async () => {
          await next();
          await add(transactions.client, responseOf(ctx, before, fingerprint), lifetime);
        });
      });
      return;
    }
    await transact(ctx, async () => {
      const kept = await claim(owner, key, fingerprint);
      if (kept === undefined) {
        await runOnce(next, owner, key);
        await keep(owner, key, responseOf(ctx, before, fingerprint));
      } else replay(ctx, kept, fingerprint);
    });
  };
  return describe(named('idempotency', idempotent), {
    wraps: transact,
    name: 'idempotency()',
    afterGuards: true,
    refuses: findLateGuard,
    takes: {
      'Idempotency-Key': {
        description:
          'Identifies the operation, such as by a UUID. A request with the same key gets the same response.',
        required,
      },
    },
    sends: {
      headers: { 'Idempotency-Replayed': '`true` for the response of an earlier request.' },
      responses: {
        400: { description: 'The Idempotency-Key is missing or invalid.' },
        409: { description: 'A request with the same Idempotency-Key still runs.' },
        422: { description: 'The Idempotency-Key was used for another request.' },
        503: { description: 'Another transaction was in the way.' },
      },
    },
  });
}

describeFactories(idempotency);

/** Finds what decides who may call a route, but would not run for a repeated request. */
function findLateGuard({ routes }: Placement): string | undefined {
  for (const { method, pattern, after } of routes) {
    // What a handler runs are its guards.
    const guards = after.flatMap((one) => descriptionOf(one)?.runs ?? []);
    const guard = after.find((one) => guards.includes(one) || isSecured(one));
    if (guard === undefined) continue;
    const name = descriptionOf(guard)?.name ?? Reflect.get(guard, 'name');
    return `idempotency() runs before ${name} in ${method} ${pattern}, so that everyone could repeat a request there and get its response. Register ${name} first, or list idempotency() in the middleware of the controller, whose guards run first.`;
  }
  return undefined;
}

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

/** Printable ASCII. The draft writes the key as a string of RFC 9651, in quotes, which most clients omit. */
const KEY = /^(?:"(?<quoted>[ !#-[\]-~]{1,255})"|(?<bare>[!#-+\--~]{1,255}))$/;

function keyOf(ctx: Context): string | undefined {
  const text = ctx.get('Idempotency-Key');
  if (text === undefined) return undefined;
  const { quoted, bare } = KEY.exec(text)?.groups ?? {};
  const key = quoted ?? bare;
  if (key !== undefined) return key;
  throw new BadRequestError(
    'The Idempotency-Key is not valid. Send 1 to 255 printable ASCII characters, such as a UUID.',
    { code: 'INVALID_IDEMPOTENCY_KEY' },
  );
}

/** Identifies what a request asks for. */
function fingerprintOf({ method, path, searchParams, body }: Context): string {
  const hash = createHash('sha256').update(`${method} ${path}?${searchParams}\n`);
  hash.update(body instanceof Uint8Array ? body : (JSON.stringify(body) ?? ''));
  return hash.digest('hex');
}

/** @param before - The headers of the response before the handler ran. */
function responseOf(
  ctx: Context,
  before: ReadonlyMap<string, string>,
  fingerprint: string,
): KeptResponse {
  // transaction() refuses streams, but only after this.
  assertWhole(ctx);
  const { status, responseBody } = ctx;
  const headers = [...ctx.responseHeaders].flatMap(([name, value]) => {
    if (before.get(name) === String(value)) return [];
    return [[name, typeof value === 'object' ? [...value] : String(value)] as const];
  });
  const body = Buffer.from((responseBody as string | Uint8Array | undefined) ?? '');
  return { fingerprint, status, headers, body };
}

/** @throws {HttpError} 422 `IDEMPOTENCY_KEY_REUSED`, when the response was to another request. */
function replay(ctx: Context, kept: KeptResponse, fingerprint: string): void {
  if (kept.fingerprint !== fingerprint) throw reused();
  const { status, headers, body } = kept;
  ctx.status = status;
  if (body.length > 0) ctx.send(Buffer.from(body));
  for (const [name, value] of headers) ctx.set(name, value);
  ctx.set('Idempotency-Replayed', 'true');
}

function missingKey(): BadRequestError {
  return new BadRequestError(
    'The request has no Idempotency-Key. Send a new one for each operation, such as a UUID, and the same one when you repeat it.',
    { code: 'MISSING_IDEMPOTENCY_KEY' },
  );
}

function inUse(cause: unknown): HttpError {
  return new HttpError(
    409,
    'A request with the same Idempotency-Key still runs. Send it again later.',
    {
      code: 'IDEMPOTENCY_KEY_IN_USE',
      headers: { 'Retry-After': '1' },
      cause,
    },
  );
}

function reused(): HttpError {
  return new HttpError(
    422,
    'The Idempotency-Key was used for another request. Send a new key, or the same request.',
    { code: 'IDEMPOTENCY_KEY_REUSED' },
  );
}

function wrongPrincipal(owner: unknown): TypeError {
  return new TypeError(
    `The principal function of idempotency() returned ${typeof owner}. Return a string, such as the ID of the user.`,
  );
}
