import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AnyContext } from '@fairlead/core';
import type { z } from 'zod';
import { andThen } from './awaitable.js';
import { type Pagination, sliceOf } from './pagination.js';
import { DEFAULT_PAGE, type ListQuery } from './schemas.js';
import type { Awaitable, UserStore } from './store/user-store.js';
import type { User } from './user.js';

/** The validated query of a list. */
export type ListRequest = Readonly<z.infer<typeof ListQuery>>;

/**
 * Responds with a page of users when the query has `page` or `limit`, and with all users otherwise.
 * A list that exceeds one batch of the store is streamed with backpressure. If the store fails while
 * streaming, the connection is closed.
 *
 * @param ctx - Context of the request.
 * @param store - Store of the users.
 * @param query - The query of the request.
 * @throws {StoreError} When the store fails before streaming begins.
 */
export function sendList(
  ctx: AnyContext,
  store: UserStore,
  { page, limit }: ListRequest,
): Awaitable<void> {
  if (page === undefined && limit === undefined) return sendAll(ctx, store);
  return sendPage(ctx, store, {
    page: page ?? DEFAULT_PAGE.page,
    limit: limit ?? DEFAULT_PAGE.limit,
  });
}

async function sendAll(ctx: AnyContext, store: UserStore): Promise<void> {
  const batches = store.list()[Symbol.asyncIterator]();
  const first = await nextBatch(batches);
  const second = await nextBatch(batches);
  if (second.length === 0) {
    ctx.json({ data: first, total: first.length });
    return;
  }
  sendJson(
    ctx,
    writeEnvelope([first, second], batches, (total) => ({ total })),
  );
}

function sendPage(ctx: AnyContext, store: UserStore, pagination: Pagination): Awaitable<void> {
  const slice = sliceOf(pagination);
  return andThen(store.page(slice), ({ users, total }) => {
    const meta = { total, ...pagination };
    if (users.length >= Math.min(slice.limit, total - slice.offset)) {
      ctx.json({ data: users, meta });
      return;
    }
    const batches = store.list(slice)[Symbol.asyncIterator]();
    sendJson(
      ctx,
      writeEnvelope([], batches, () => ({ meta })),
    );
  });
}

function sendJson(ctx: AnyContext, chunks: AsyncIterable<string>): void {
  ctx.set('Content-Type', 'application/json; charset=utf-8');
  const body = Readable.from(chunks, { highWaterMark: 1 });
  // Set before the connection closes, which is when the request is logged.
  body.once('error', (error) => {
    ctx.state.error = error;
  });
  ctx.send(body);
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
  batches: AsyncIterator<readonly User[]>,
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
async function nextBatch(batches: AsyncIterator<readonly User[]>): Promise<readonly User[]> {
  const { done, value } = await batches.next();
  return done ? [] : value;
}
