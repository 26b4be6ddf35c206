import { type AnyContext, PreconditionFailedError } from '@fairlead/core';
import { requireMatch } from '@fairlead/middleware';
import { findUser, throwNotFound } from './find-user.js';
import type { Awaitable, UserStore } from './store/user-store.js';
import type { User } from './user.js';
import { etagOf } from './view.js';

/**
 * Changes a user who exists and matches `If-Match`, if the request has it.
 *
 * @param change - Makes the change if the user equals `expected`. Otherwise returns a falsy value.
 * @returns The result of `change`.
 * @throws {NotFoundError} 404, when there is no such user.
 * @throws {PreconditionFailedError} 412, when the user does not match.
 */
export async function changeUser<Result>(
  ctx: AnyContext,
  store: UserStore,
  id: string,
  change: (expected?: User) => Awaitable<Result | false | undefined>,
): Promise<Result> {
  const tags = ctx.get('If-Match');
  // `*` matches every user.
  if (tags === undefined || tags === '*') return (await change()) || throwNotFound(id);
  const expected = await findUser(store, id);
  requireMatch(ctx, etagOf(expected));
  const result = await change(expected);
  if (result) return result;
  // Another client has changed or deleted the user in the meantime.
  await findUser(store, id);
  throw new PreconditionFailedError(
    'The user has changed. Read it again, and send its current ETag.',
  );
}
