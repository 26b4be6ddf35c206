import { crc32 } from 'node:zlib';
import type { AnyContext } from '@fairlead/core';
import { streamJsonList } from '@fairlead/store';
import type { z } from 'zod';
import { DEFAULT_PAGE, type ListQuery } from './schemas.js';
import type { UserStore } from './store/user-store.js';
import type { User } from './user.js';

/** The validated query of a list. */
export type ListRequest = Readonly<z.infer<typeof ListQuery>>;

/**
 * Responds with a page of users when the query has `page` or `limit`, and with all users otherwise.
 * A list that exceeds one batch of the store is streamed with backpressure. If the store fails at the first
 * batch, the client receives an error. If it fails later, the connection is closed.
 */
export async function sendList(
  ctx: AnyContext,
  store: UserStore,
  query: ListRequest,
): Promise<void> {
  const isPage = query.page !== undefined || query.limit !== undefined;
  const { page = DEFAULT_PAGE.page, limit = isPage ? DEFAULT_PAGE.limit : Infinity } = query;
  const slice = {
    offset: isPage ? Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER) : 0,
    limit: Math.min(limit, Number.MAX_SAFE_INTEGER),
  };
  const { users, total } = await store.page(slice);
  const rest = (count: number) => (isPage ? { meta: { total, page, limit } } : { total: count });
  if (users.length >= Math.min(slice.limit, total - slice.offset)) {
    return ctx.json({ data: users, ...rest(users.length) });
  }
  ctx.set('Content-Type', 'application/json; charset=utf-8');
  ctx.send(streamJsonList(store.list(slice), 'data', rest));
}

/** Returns the strong entity tag of a user in JSON. It is the same in every process and store. */
export function etagOf({ name, email, updatedAt }: User): string {
  return `"${updatedAt}-${crc32(`${name}\0${email}`).toString(36)}"`;
}

/** Sets the entity tag of a user, and returns the JSON envelope. */
export function toEnvelope(ctx: AnyContext, user: User): { data: User } {
  ctx.set('ETag', etagOf(user));
  return { data: user };
}

/** Sets the location of a user who was created by a request to the collection. Returns the envelope. */
export function toCreated(ctx: AnyContext, user: User): { data: User } {
  ctx.set('Location', `${ctx.path.replace(/\/$/, '')}/${user.id}`);
  return toEnvelope(ctx, user);
}

/** Responds with a user, as an HTML page when `Accept` contains `text/html` and as JSON otherwise. */
export function showUser(ctx: AnyContext, user: User): void {
  ctx.append('Vary', 'Accept');
  const isHtml = ctx.get('Accept')?.toLowerCase().includes('text/html');
  if (isHtml) ctx.html(userPage(user));
  else ctx.json({ data: user });
  // Each representation needs its own tag.
  ctx.set('ETag', isHtml ? etagOf(user).replace(/"$/, '-html"') : etagOf(user));
}

/** Renders a user as a complete HTML document. All fields are escaped. */
export function userPage(user: User): string {
  const name = escapeHtml(user.name);
  const rows = Object.entries(user).map(
    ([field, value]) => `      <dt>${field}</dt><dd>${escapeHtml(value)}</dd>`,
  );
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>${name}</title>
  </head>
  <body>
    <h1>${name}</h1>
    <dl>
${rows.join('\n')}
    </dl>
  </body>
</html>
`;
}

/** Escapes the special characters of HTML as numeric or named references. */
function escapeHtml(text: string): string {
  const names: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' };
  return text.replace(/[&<>"']/g, (character) => `&${names[character] ?? '#39'};`);
}
