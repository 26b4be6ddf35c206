import type { AnyContext } from '@fairlead/core';
import { streamJsonList } from '@fairlead/store';
import type { z } from 'zod';
import { DEFAULT_PAGE, type ListQuery } from './schemas.js';
import type { UserStore } from './store/user-store.js';

/** The validated query of a list. */
export type ListRequest = Readonly<z.infer<typeof ListQuery>>;

/**
 * Responds with a page of users when the query has `page` or `limit`, and with all users otherwise.
 * A list that exceeds one batch of the store is streamed with backpressure. If the store fails at the first
 * batch, the client receives an error. If it fails later, the connection is closed.
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
  ctx.set('Content-Type', 'application/json; charset=utf-8');
  ctx.send(streamJsonList(store.list(slice), 'data', rest));
}
