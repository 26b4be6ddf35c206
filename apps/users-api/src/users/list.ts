import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AnyContext } from '@fairlead/core';
import type { z } from 'zod';
import { DEFAULT_PAGE, type ListQuery } from './schemas.js';
import type { UserStore } from './store/user-store.js';
import type { User } from './user.js';

/** The validated query of a list. */
export type ListRequest = Readonly<z.infer<typeof ListQuery>>;

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
  const isPage = query.page !== undefined || query.limit !== undefined;
  const { page = DEFAULT_PAGE.page, limit = isPage ? DEFAULT_PAGE.limit : Infinity } = query;
  const slice = {
    offset: isPage ? Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER) : 0,
    limit: Math.min(limit, Number.MAX_SAFE_INTEGER),
  };
  const { users, total } = await store.page(slice);
  const rest = (count: number) => (isPage ? { meta: { total, page, limit } } : { total: count });
  if (users.length >= Math.min(slice.limit, total - slice.offset)) {
    return ctx.json({ data: users, ...rest(users.length) });
  }
  const chunks = writeEnvelope(store.list(slice), rest);
  // A store that fails here passes through the middleware. The error of a stream would not.
  const { value: first } = await chunks.next();
  const body = (async function* () {
    yield first;
    yield* chunks;
  })();
  ctx.set('Content-Type', 'application/json; charset=utf-8');
  ctx.send(Readable.from(body, { highWaterMark: 1 }));
}

/** Serializes `{ data, ...rest }` to JSON, one batch at a time. `rest` receives the number of users. */
async function* writeEnvelope(
  batches: AsyncIterable<readonly User[]>,
  rest: (count: number) => object,
): AsyncGenerator<string> {
  let count = 0;
  let before = '{"data":[';
  for await (const batch of batches) {
    yield before + JSON.stringify(batch).slice(1, -1);
    before = ',';
    count += batch.length;
    // A synchronous store and a fast client would otherwise block other requests.
    await nextTurn();
  }
  yield `${count === 0 ? before : ''}],${JSON.stringify(rest(count)).slice(1)}`;
}
