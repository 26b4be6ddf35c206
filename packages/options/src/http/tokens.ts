/** Matches a token: the name of a header, a cookie or a parameter. RFC 9110 §5.6.2 */
export const TOKEN = "[\\w!#$%&'*+.^`|~-]+";

const ONLY_TOKEN = new RegExp(`^${TOKEN}$`);

/** Whether a value is a token, and no more. */
export function isToken(value: unknown): value is string {
  return typeof value === 'string' && ONLY_TOKEN.test(value);
}
