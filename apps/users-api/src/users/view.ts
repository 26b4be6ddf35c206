import type { Context } from '@fairlead/core';
import type { User } from './user.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Responds with a user, as an HTML page when the `Accept` header contains `text/html` and as JSON
 * otherwise.
 *
 * @param ctx - Context of the request.
 * @param user - The user to send.
 */
export function showUser(ctx: Context, user: User): void {
  const accept = ctx.get('accept') ?? 'application/json';
  ctx.append('Vary', 'Accept');
  if (accept.toLowerCase().includes('text/html')) ctx.html(userPage(user));
  else ctx.json({ data: user });
}

/**
 * Renders a user as an HTML page.
 *
 * @param user - The user. All fields are escaped.
 * @returns A complete document.
 */
export function userPage(user: User): string {
  const name = escapeHtml(user.name);
  const rows = Object.entries(user).map(
    ([field, value]) => `      <dt>${field}</dt><dd>${escapeHtml(String(value))}</dd>`,
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

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
