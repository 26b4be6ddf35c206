import type { Context } from '@fairlead/core';
import type { User } from './user.js';

/**
 * Returns the path of a new user, for the `Location` header.
 *
 * @param ctx - Context of the create request, whose path is that of the collection.
 * @param user - The new user.
 */
export function locationOf(ctx: Context, user: User): string {
  return `${ctx.path.replace(/\/$/, '')}/${user.id}`;
}
