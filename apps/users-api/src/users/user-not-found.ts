import { NotFoundError } from '@fairlead/core';
import type { User } from './user.js';

/**
 * Creates the error for an unknown user id.
 *
 * @param id - The requested id, which the message includes.
 * @returns A 404 error for the caller to throw.
 */
export function userNotFound(id: string): NotFoundError {
  return new NotFoundError(`User ${id} not found`);
}

/**
 * Returns a user that was looked up, or throws.
 *
 * @param user - The result of the lookup.
 * @param id - The requested id.
 * @throws {NotFoundError} 404, when `user` is undefined.
 */
export function requireUser(user: User | undefined, id: string): User {
  if (user === undefined) throw userNotFound(id);
  return user;
}
