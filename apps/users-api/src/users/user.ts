import { randomUUID } from 'node:crypto';

/** A user as it is kept and as it goes over the wire. */
export interface User {
  /** Random UUID, given by the service. */
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** ISO 8601 in UTC, with milliseconds. */
  readonly createdAt: string;
  /** ISO 8601 in UTC, with milliseconds; never earlier than it was before an update. */
  readonly updatedAt: string;
}

/** What a client states to create a user: well-formed Unicode without U+0000. */
export interface CreateUserInput {
  readonly name: string;
  readonly email: string;
}

/** What a client states to change a user, as {@link CreateUserInput}; an absent field keeps its value. */
export interface UpdateUserInput {
  readonly name?: string;
  readonly email?: string;
}

/** Tells the time in milliseconds since the epoch, as `Date.now` does. */
export type Clock = () => number;

/**
 * Makes a new user with an id of its own.
 *
 * @param input - Name and email, already checked.
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
 * Merges changes over a user.
 *
 * @param user - The user as it is; left as it was.
 * @param changes - Fields to replace; absent ones are kept.
 * @param now - Time of the update, in milliseconds since the epoch.
 * @returns A frozen user; `updatedAt` is `now`, or the earlier `updatedAt` when the clock went back.
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
