import type { Context } from '@fairlead/core';
import type { User } from './user.js';

/**
 * Tells where a user that was created at a collection's path is found.
 *
 * @param ctx - The request that created it.
 * @param user - The new user.
 * @returns The path below the requested one, for the `Location` header.
 */
export function locationOf(ctx: Context, user: User): string {
  return `${ctx.path.replace(/\/$/, '')}/${user.id}`;
}
