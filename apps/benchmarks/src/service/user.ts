import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** A user, as stored and as sent to clients. Times are ISO 8601. */
export interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The fields of a new user. */
export type NewUser = Pick<User, 'name' | 'email'>;

/** Changes to a user. Absent fields keep their values. */
export interface UserChanges {
  readonly name?: string | undefined;
  readonly email?: string | undefined;
}

/** The longest values that clients may send, in UTF-16 code units. */
export const LIMITS = { name: 256, email: 320 } as const;

/** Creates a user with a random id. */
export function createUser({ name, email }: NewUser): User {
  const createdAt = new Date().toISOString();
  return { id: randomUUID(), name, email, createdAt, updatedAt: createdAt };
}

/** Returns a changed copy of a user, whose `updatedAt` never moves backwards. */
export function updateUser(user: User, changes: UserChanges): User {
  let updatedAt = new Date().toISOString();
  if (updatedAt < user.updatedAt) updatedAt = user.updatedAt;
  return {
    id: user.id,
    name: changes.name ?? user.name,
    email: changes.email ?? user.email,
    createdAt: user.createdAt,
    updatedAt,
  };
}

/** Replaces what PostgreSQL cannot store (U+0000) and UTF-8 cannot encode (lone surrogates). */
export function toStorable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** Returns a strong entity tag. The HTML page of a user has another tag. */
export function etagOf({ updatedAt, name, email }: User, isHtml = false): string {
  return `"${updatedAt}-${crc32(`${name}\0${email}`).toString(36)}${isHtml ? '-html' : ''}"`;
}

/** Whether an `If-Match` header matches an entity tag, by strong comparison (RFC 9110 §13.1.1). */
export function isMatch(header: string, etag: string): boolean {
  return header.trim() === '*' || header.split(',').some((tag) => tag.trim() === etag);
}

/** Whether an `If-None-Match` header matches an entity tag, by weak comparison (§13.1.2). */
export function isFresh(header: string | undefined, etag: string): boolean {
  return header !== undefined && isMatch(header.replaceAll('W/', ''), etag);
}

/** A range of the list of users. */
export interface Slice {
  readonly offset: number;
  readonly limit: number;
}

/** A page, as the response names it. */
export interface Pagination {
  readonly page: number;
  readonly limit: number;
}

/** Reads the page that a query asks for. Without `page` and `limit` it asks for the whole list. */
export function readPagination(query: {
  readonly page?: unknown;
  readonly limit?: unknown;
}): Pagination | undefined {
  if (query.page === undefined && query.limit === undefined) return undefined;
  return { page: toCount(query.page, 1), limit: toCount(query.limit, 10) };
}

/** Converts the first value of a parameter to a whole number, or returns the fallback. */
function toCount(value: unknown, fallback: number): number {
  const number = Math.trunc(Number(Array.isArray(value) ? value[0] : value));
  return number >= 1 && number < Number.POSITIVE_INFINITY ? number : fallback;
}

/** Converts a page to a range. */
export function sliceOf({ page, limit }: Pagination): Slice {
  return {
    offset: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER),
    limit: Math.min(limit, Number.MAX_SAFE_INTEGER),
  };
}

/** Writes a list as JSON, one batch at a time, so that memory does not grow with the list. */
export async function* writeList(
  batches: AsyncIterable<readonly User[]>,
  rest: (count: number) => object,
): AsyncGenerator<string> {
  let count = 0;
  for await (const batch of batches) {
    yield (count === 0 ? '{"data":[' : ',') + JSON.stringify(batch).slice(1, -1);
    count += batch.length;
    // Lets other requests run when the store and the client are fast.
    await new Promise(setImmediate);
  }
  yield `${count === 0 ? '{"data":[' : ''}],${JSON.stringify(rest(count)).slice(1)}`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Renders a user as an HTML page. */
export function renderUser(user: User): string {
  const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? mark);
  const rows = Object.entries(user).map(
    ([field, value]) => `      <dt>${field}</dt><dd>${escapeHtml(value)}</dd>`,
  );
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>${escapeHtml(user.name)}</title>
  </head>
  <body>
    <h1>${escapeHtml(user.name)}</h1>
    <dl>
${rows.join('\n')}
    </dl>
  </body>
</html>
`;
}
