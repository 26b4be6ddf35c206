import { readPagination, sliceOf } from './pagination.js';
import type { UserStore } from './store/user-store.js';
import type { User } from './user.js';

/** Every user. */
export interface UserList {
  readonly data: readonly User[];
  /** Count of all users. */
  readonly total: number;
}

/** One page of users. */
export interface PaginatedUserList {
  readonly data: readonly User[];
  /** Count of all users, and the page and limit that were applied. */
  readonly meta: { readonly total: number; readonly page: number; readonly limit: number };
}

/**
 * Lists users as a query asks for them.
 *
 * @param store - Where the users are.
 * @param query - Query parameters; `page` or `limit` asks for a page.
 * @returns The list envelope, or the paginated one when the query has `page` or `limit`.
 */
export async function listUsers(
  store: UserStore,
  query: Readonly<Record<string, string>>,
): Promise<UserList | PaginatedUserList> {
  const pagination = readPagination(query);
  if (pagination === undefined) {
    const data = await store.list();
    return { data, total: data.length };
  }
  const { users, total } = await store.page(sliceOf(pagination));
  return { data: users, meta: { total, ...pagination } };
}
