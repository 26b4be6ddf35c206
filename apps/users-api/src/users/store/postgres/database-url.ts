import { readFileSync } from 'node:fs';
import { unescape as decode } from 'node:querystring';

/** Parameters of the URL that pg accepts, except those that break the store, and `connect_timeout`. */
const PARAMETERS =
  'application_name client_encoding connect_timeout fallback_application_name host ' +
  'idle_in_transaction_session_timeout lock_timeout options password port ssl sslcert ' +
  'sslkey sslmode sslnegotiation sslrootcert uselibpqcompat user';

/**
 * Finds a mistake in a PostgreSQL URL that pg would ignore, misunderstand or report without a fix. A missing
 * part is not a mistake, because pg has defaults and reads variables such as PGHOST.
 *
 * @param url - The value of DATABASE_URL.
 * @returns The rest of the sentence "DATABASE_URL …", with the fix and without any password.
 */
export function findUrlProblem(url: string): string | undefined {
  const form = 'Use postgres://USER:PASSWORD@HOST/DATABASE.';
  const [, authority, path = '', query = '', hash] =
    /^postgres(?:ql)?:\/\/([^/?#]*)([^?#]*)\??([^#]*)(#?)/.exec(url) ?? [];
  if (authority === undefined) return `does not begin with postgres://. ${form}`;
  const parameters = new URLSearchParams(query);
  const known = PARAMETERS.split(' ');
  const unknown = [...parameters.keys()].find((name) => !known.includes(name));
  // A password with a /, ? or # ends up in the path, a parameter or the hash, and so does its @.
  const isSplit = hash || path.includes('@') || (unknown !== undefined && query.includes('@'));
  if (isSplit || /%(?![\da-f]{2})/i.test(url) || decode(url).includes('\uFFFD')) {
    return (
      'has a special character that is not percent-encoded. In the user and the password, write # ' +
      'as %23, / as %2F, ? as %3F, @ as %40 and % as %25.'
    );
  }
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const isList = [host, parameters.get('host'), parameters.get('port')].some((one) =>
    one?.includes(','),
  );
  if (isList || /^(target_session_attrs|load_balance_hosts|hostaddr)$/.test(unknown ?? '')) {
    return (
      'chooses among several servers, which users-api leaves to a balancer. Use one host that leads to ' +
      'the primary, such as HAProxy with a check of Patroni, PgBouncer, or an address that moves with the primary.'
    );
  }
  const port = parameters.get('port') ?? /:([^:\]]+)$/.exec(host)?.[1] ?? '5432';
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535) {
    return 'has an invalid port. Use a number from 1 to 65535.';
  }
  if (!URL.canParse(url)) return `has ${host === '' ? 'no' : 'an invalid'} host. ${form}`;
  if (unknown !== undefined) {
    const similar = known.find((name) => isSimilar(name, unknown, 2));
    const fix = similar === undefined ? 'Remove it.' : `Did you mean ${similar}?`;
    return `has the unknown parameter ${unknown}. ${fix}`;
  }
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const file = parameters.get(name);
    try {
      if (file) readFileSync(file);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return `names a file in ${name} that cannot be read (${reason}). Use the path of a PEM file.`;
    }
  }
  return undefined;
}

/**
 * Describes a PostgreSQL database for messages.
 *
 * @param url - A `postgres:` or `postgresql:` URL.
 * @returns A URL with host, port and database, without user, password and parameters.
 */
export function describeUrl(url: string): string {
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}

/** Whether inserting, removing or replacing at most `edits` characters makes two strings equal. */
function isSimilar(one: string, other: string, edits: number): boolean {
  if (edits < 0) return false;
  if (one === '' || other === '') return one.length + other.length <= edits;
  const [a, b] = [one.slice(1), other.slice(1)];
  if (one[0] === other[0]) return isSimilar(a, b, edits);
  return [[a, b] as const, [a, other] as const, [one, b] as const].some(([x, y]) =>
    isSimilar(x, y, edits - 1),
  );
}
