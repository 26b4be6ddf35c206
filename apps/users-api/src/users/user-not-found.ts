import { NotFoundError } from '@fairlead/core';
import type { User } from './user.js';

/**
 * Makes the error for an id that no user has.
 *
 * @param id - The id that was asked for; the message names it.
 * @returns A 404 for the caller to throw.
 */
export function userNotFound(id: string): NotFoundError {
  return new NotFoundError(`User ${id} not found`);
}

/**
 * Insists that a store has found a user.
 *
 * @param user - What the store answered.
 * @param id - The id that was asked for.
 * @returns The user.
 * @throws {NotFoundError} 404 when the store found none.
 */
export function foundUser(user: User | undefined, id: string): User {
  if (user === undefined) throw userNotFound(id);
  return user;
}
