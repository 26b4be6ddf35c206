import { NotFoundError } from '@fairlead/core';
import type { UserStore } from './store/user-store.js';
import type { User } from './user.js';

/**
 * Returns the user with this id.
 *
 * @throws {NotFoundError} 404, when there is no such user. The message names the id.
 */
export async function findUser(store: UserStore, id: string): Promise<User> {
  return (await store.find(id)) ?? throwNotFound(id);
}

export function throwNotFound(id: string): never {
  throw new NotFoundError(`User ${id} not found`);
}
