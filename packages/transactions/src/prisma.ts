import { isUnreachable, type TransactionAdapter } from './adapter.js';

/** What Prisma runs statements on: a client, or a transaction of it. */
export interface PrismaQueries {
  $queryRawUnsafe(text: string, ...values: unknown[]): PromiseLike<unknown>;
}

/** A client of Prisma. */
export interface PrismaDatabase<Client> extends PrismaQueries {
  $transaction<T>(
    work: (client: Client) => Promise<T>,
    options?: PrismaAdapterOptions & { isolationLevel?: (typeof LEVELS)[keyof typeof LEVELS] },
  ): Promise<T>;
}

/** Limits of Prisma for transactions. Prisma rolls one back after `timeout`. */
export interface PrismaAdapterOptions {
  /** Milliseconds that a transaction may take. Default of Prisma: 5,000. */
  readonly timeout?: number;
  /** Milliseconds to wait for a connection. Default of Prisma: 2,000. */
  readonly maxWait?: number;
}

const LEVELS = {
  'read committed': 'ReadCommitted',
  'repeatable read': 'RepeatableRead',
  serializable: 'Serializable',
} as const;

/**
 * A server that can't be reached, a connection that was closed, and connections that take too long or are too many.
 *
 * @see https://www.prisma.io/docs/orm/reference/error-reference
 */
const UNREACHABLE: ReadonlySet<unknown> = new Set(['P1001', 'P1002', 'P1017', 'P2024', 'P2037']);

/** Transactions of Prisma 7, for PostgreSQL. */
export function prismaAdapter<Client extends PrismaQueries>(
  prisma: PrismaDatabase<Client>,
  options: PrismaAdapterOptions = {},
): TransactionAdapter<Client> {
  return {
    // A client has all of a transaction.
    client: prisma as PrismaQueries as Client,
    transact: (work, { isolation, readOnly }) =>
      prisma.$transaction(
        async (client) => {
          if (readOnly === true) await client.$queryRawUnsafe('SET TRANSACTION READ ONLY');
          const result = await work(client);
          // Fails after a statement that failed. Otherwise the commit would roll back without an error.
          await client.$queryRawUnsafe('SELECT 1');
          return result;
        },
        { ...options, ...(isolation !== undefined && { isolationLevel: LEVELS[isolation] }) },
      ),
    query: async (client, text, values) =>
      (await client.$queryRawUnsafe(text, ...values)) as readonly Record<string, unknown>[],
    isUnreachable: (error) => {
      const { code, message } = Object(error);
      return (
        UNREACHABLE.has(code) ||
        (code === 'P2028' && String(message).includes('Unable to start')) ||
        isUnreachable(error)
      );
    },
  };
}
