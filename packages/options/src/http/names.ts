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
