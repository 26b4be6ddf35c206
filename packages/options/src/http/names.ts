const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/** Whether a value is a token: the name of a header, a cookie or a parameter. RFC 9110 §5.6.2 */
export function isToken(value: unknown): boolean {
  return typeof value === 'string' && TOKEN.test(value);
}

const HOP_BY_HOP =
  /^(?:connection|keep-alive|proxy-(?:authenticate|authentication-info|authorization|connection)|te|trailer|transfer-encoding|upgrade)$/i;

/**
 * Whether a header is about one connection, and never about the message that another connection carries.
 *
 * @see RFC 9110 §7.6.1, §11.7
 */
export function isHopByHop(name: string): boolean {
  return HOP_BY_HOP.test(name);
}
