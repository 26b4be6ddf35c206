import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AnyContext } from '@fairlead/core';
import type { z } from 'zod';
import { DEFAULT_PAGE, type ListQuery } from './schemas.js';
import type { UserStore } from './store/user-store.js';
import type { User } from './user.js';

/** The validated query of a list. */
export type ListRequest = Readonly<z.infer<typeof ListQuery>>;

type Batches = AsyncIterator<readonly User[]>;

/**
 * Responds with a page of users when the query has `page` or `limit`, and with all users otherwise.
 * A list that exceeds one batch of the store is streamed with backpressure. If the store fails while
 * streaming, the connection is closed.
 *
 * @throws {StoreError} When the store fails before streaming begins.
 */
export async function sendList(
  ctx: AnyContext,
  store: UserStore,
  query: ListRequest,
): Promise<void> {
  if (query.page !== undefined || query.limit !== undefined) {
    const { page = DEFAULT_PAGE.page, limit = DEFAULT_PAGE.limit } = query;
    return sendPage(ctx, store, page, limit);
  }
  const batches = store.list()[Symbol.asyncIterator]();
  const first = await nextBatch(batches);
  const second = await nextBatch(batches);
  if (second.length === 0) ctx.json({ data: first, total: first.length });
  else sendStream(ctx, [first, second], batches, (total) => ({ total }));
}

async function sendPage(
  ctx: AnyContext,
  store: UserStore,
  page: number,
  limit: number,
): Promise<void> {
  const slice = {
    offset: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER),
    limit: Math.min(limit, Number.MAX_SAFE_INTEGER),
  };
  const { users, total } = await store.page(slice);
  const meta = { total, page, limit };
  if (users.length >= Math.min(slice.limit, total - slice.offset)) ctx.json({ data: users, meta });
  else sendStream(ctx, [], store.list(slice)[Symbol.asyncIterator](), () => ({ meta }));
}

function sendStream(ctx: AnyContext, ...envelope: Parameters<typeof writeEnvelope>): void {
  ctx.set('Content-Type', 'application/json; charset=utf-8');
  ctx.send(Readable.from(writeEnvelope(...envelope), { highWaterMark: 1 }));
}

/**
 * Serializes `{ data, ...rest }` to JSON, one batch at a time.
 *
 * @param read - Batches that have already been read.
 * @param batches - The remaining batches.
 * @param rest - Returns the members that follow `data`, given the number of users in it.
 */
async function* writeEnvelope(
  read: readonly (readonly User[])[],
  batches: Batches,
  rest: (count: number) => object,
): AsyncGenerator<string> {
  let count = 0;
  let before = '{"data":[';
  const write = (batch: readonly User[]): string => {
    const text = before + JSON.stringify(batch).slice(1, -1);
    before = ',';
    count += batch.length;
    return text;
  };
  try {
    for (const batch of read) yield write(batch);
    for (;;) {
      // A synchronous store and a fast client would otherwise block other requests.
      await nextTurn();
      const batch = await nextBatch(batches);
      if (batch.length === 0) break;
      yield write(batch);
    }
  } finally {
    await batches.return?.();
  }
  yield `${count === 0 ? before : ''}],${JSON.stringify(rest(count)).slice(1)}`;
}

/** Returns the next batch, or an empty one at the end. */
async function nextBatch(batches: Batches): Promise<readonly User[]> {
  const { done, value } = await batches.next();
  return done ? [] : value;
}
