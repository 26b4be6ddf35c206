import { isIPv6 } from 'node:net';

/**
 * Names the network that an address belongs to, as far as one client can move in it: an IPv4 address
 * itself, also when it is mapped into IPv6, and the /64 of an IPv6 address, every address of which is
 * one client's to use.
 *
 * @param address - An address as node gives it, or any other text, which is returned as it is.
 * @see RFC 4291 §2.5.1, §2.5.5.2
 */
export function networkOf(address: string): string {
  const [bare = ''] = address.split('%');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(bare)) return address;
  return `${groupsOf(bare).slice(0, 4).join(':')}::/64`;
}

/** The groups of an IPv6 address in their shortest form; those of a dotted end do not matter here. */
function groupsOf(address: string): readonly string[] {
  const [head = [], tail = []] = address
    .split('::')
    .map((side) => side.split(':').filter((group) => group !== ''));
  const width = (groups: readonly string[]) =>
    groups.reduce((sum, group) => sum + (group.includes('.') ? 2 : 1), 0);
  const zeros = Array<string>(8 - width(head) - width(tail)).fill('0');
  return [...head, ...zeros, ...tail].map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''));
}
