/**
 * Names a PostgreSQL database for people.
 *
 * @param url - Of the scheme `postgres:` or `postgresql:`.
 * @returns Host, port and database; user, password and parameters stay out.
 */
export function describeUrl(url: string): string {
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}
