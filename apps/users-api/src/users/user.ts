import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type * as schemas from './schemas.js';

/** A user, as stored and as sent to clients. */
export type User = Readonly<z.infer<typeof schemas.User>>;

/** Fields of a new user, as well-formed Unicode without U+0000. */
export type CreateUserInput = Readonly<z.infer<typeof schemas.NewUser>>;

/** Changes to a user. Absent fields keep their values. */
export type UpdateUserInput = Readonly<z.infer<typeof schemas.UserChanges>>;

/** Returns the current time in milliseconds since the epoch, like `Date.now`. */
export type Clock = () => number;

/**
 * Creates a user with a new random id.
 *
 * @param input - Validated name and email.
 * @param now - Creation time, in milliseconds since the epoch.
 * @returns A frozen user whose `updatedAt` equals its `createdAt`.
 */
export function createUser(input: CreateUserInput, now: number): User {
  const createdAt = new Date(now).toISOString();
  return Object.freeze({
    id: randomUUID(),
    name: input.name,
    email: input.email,
    createdAt,
    updatedAt: createdAt,
  });
}

/**
 * Applies changes to a user.
 *
 * @param user - The current user, which is not modified.
 * @param changes - Fields to replace.
 * @param now - Time of the update, in milliseconds since the epoch.
 * @returns A frozen user. Its `updatedAt` is the later of `now` and the current `updatedAt`.
 */
export function updateUser(user: User, changes: UpdateUserInput, now: number): User {
  const updatedAt = Math.max(now, Date.parse(user.updatedAt));
  return Object.freeze({
    id: user.id,
    name: changes.name ?? user.name,
    email: changes.email ?? user.email,
    createdAt: user.createdAt,
    updatedAt: new Date(updatedAt).toISOString(),
  });
}
