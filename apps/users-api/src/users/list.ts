import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '@fairlead/core';
import { type Awaitable, andThen } from './awaitable.js';
import { type Pagination, readPagination, sliceOf } from './pagination.js';
import type { UserStore } from './store/user-store.js';
import type { User } from './user.js';

/**
 * Answers with users as the query asks for them: with the list envelope, or the paginated one when
 * the query has `page` or `limit`. What is longer than one batch of the store is sent as it is read,
 * no faster than the client takes it; a store that fails in the middle closes the connection.
 *
 * @param ctx - The request to answer.
 * @param store - Where the users are.
 * @throws {StoreError} When the store fails before anything was sent.
 * @see Specification, "Response envelopes"
 */
export function answerList(ctx: Context, store: UserStore): Awaitable<void> {
  const pagination = readPagination(ctx.query);
  return pagination === undefined ? answerAll(ctx, store) : answerPage(ctx, store, pagination);
}

async function answerAll(ctx: Context, store: UserStore): Promise<void> {
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

function answerPage(ctx: Context, store: UserStore, pagination: Pagination): Awaitable<void> {
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

function sendJson(ctx: Context, chunks: AsyncIterable<string>): void {
  ctx.set('Content-Type', 'application/json; charset=utf-8');
  const body = Readable.from(chunks, { highWaterMark: 1 });
  // The log of requests learns of it before the connection is closed.
  body.once('error', (error) => {
    ctx.state.error = error;
  });
  ctx.send(body);
}

/**
 * Writes `{ data, ...rest }` as JSON.stringify does, one batch at a time.
 *
 * @param read - Batches that were read before.
 * @param batches - Those that follow.
 * @param rest - Gives the members behind `data`, from the count of users in it.
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
      // Other requests get a turn here: a synchronous store and a fast client would leave them none.
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

/** The next batch; an empty one at the end. */
async function nextBatch(batches: AsyncIterator<readonly User[]>): Promise<readonly User[]> {
  const { done, value } = await batches.next();
  return done ? [] : value;
}
