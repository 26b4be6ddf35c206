import { randomUUID } from 'node:crypto';

/** A user, as stored and as sent to clients. */
export interface User {
  /** Random UUID, assigned by the service. */
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** ISO 8601 in UTC, with milliseconds. */
  readonly createdAt: string;
  /** ISO 8601 in UTC, with milliseconds. Updates never move it backwards. */
  readonly updatedAt: string;
}

/** Fields of a new user, as well-formed Unicode without U+0000. */
export interface CreateUserInput {
  readonly name: string;
  readonly email: string;
}

/** Changes to a user. Absent fields keep their values. */
export interface UpdateUserInput {
  readonly name?: string;
  readonly email?: string;
}

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
