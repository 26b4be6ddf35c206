import { isIPv4, isIPv6 } from 'node:net';

/**
 * Returns the network that identifies the client of an address. For IPv4, it is the address itself, even when
 * it is mapped into IPv6. For IPv6, it is the /64 prefix, because one client can use every address in it.
 * Ignores a port and the brackets around an IPv6 address.
 *
 * @param address - An address from Node.js or a proxy. Any other text is returned unchanged.
 * @see RFC 4291 §2.5.1, §2.5.5.2; RFC 3986 §3.2.2 for brackets
 */
export function networkOf(address: string): string {
  const [bare = ''] = withoutPort(address).split('%');
  if (isIPv4(bare)) return bare;
  if (!isIPv6(bare)) return address;
  const groups = groupsOf(bare);
  if (groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff') return dotted(groups.slice(6));
  return `${groups.slice(0, 4).join(':')}::/64`;
}

function withoutPort(address: string): string {
  const [, bracketed, plain] = /^(?:\[(.*)\]|([\d.]+))(?::\d+)?$/.exec(address) ?? [];
  return bracketed ?? plain ?? address;
}

/** Returns the eight groups of an IPv6 address in their shortest form. */
function groupsOf(address: string): readonly string[] {
  const [head = [], tail = []] = address.split('::').map((side) =>
    side
      .split(':')
      .filter((group) => group !== '')
      .flatMap((group) => (isIPv4(group) ? pairsOf(group) : [group])),
  );
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  return [...head, ...zeros, ...tail].map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''));
}

/** Converts an IPv4 address to two groups of an IPv6 address. */
function pairsOf(address: string): readonly string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return [a * 256 + b, c * 256 + d].map((pair) => pair.toString(16));
}

/** Converts two groups of an IPv6 address to an IPv4 address. */
function dotted(groups: readonly string[]): string {
  const pairs = groups.map((group) => Number.parseInt(group, 16));
  return pairs.flatMap((pair) => [pair >> 8, pair & 0xff]).join('.');
}
