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

let last = { time: 0, text: '' };

/** Formats a time in ISO 8601. Formatting takes longer than anything else here, so keeps the last text. */
export function toIso(time: number): string {
  if (time !== last.time || last.text === '') last = { time, text: new Date(time).toISOString() };
  return last.text;
}

/** Creates a frozen user with a new random id. `now` is in milliseconds since the epoch. */
export function createUser({ name, email }: CreateUserInput, now: number): User {
  const time = toIso(now);
  return Object.freeze({ id: randomUUID(), name, email, createdAt: time, updatedAt: time });
}

/** Returns a frozen user with changes. Its `updatedAt` is the later of `now` and that of the user. */
export function updateUser(user: User, changes: UpdateUserInput, now: number): User {
  const time = toIso(now);
  // ISO times sort as text.
  const isLater = time > user.updatedAt;
  return Object.freeze({
    id: user.id,
    name: changes.name ?? user.name,
    email: changes.email ?? user.email,
    createdAt: user.createdAt,
    updatedAt: isLater ? time : user.updatedAt,
  });
}
