const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/** Whether a value is a token: the name of a header, a cookie or a parameter. RFC 9110 §5.6.2 */
export function isToken(value: unknown): boolean {
  return typeof value === 'string' && TOKEN.test(value);
}
