import { readFileSync } from 'node:fs';

/** The state of an open connection in the kernel's table. */
const ESTABLISHED = '01';

/**
 * Returns the local ports of this machine's open connections to a port. A killed process has none,
 * even if the other end has not noticed yet.
 */
export function openPorts(to: number): ReadonlySet<number> {
  const open = new Set<number>();
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1)) {
    const [, local, remote, state] = line.trim().split(/\s+/);
    if (state === ESTABLISHED && portOf(remote) === to) open.add(portOf(local));
  }
  return open;
}

/** Parses the port of an address such as `0100007F:1F90`. */
function portOf(address = ''): number {
  return Number.parseInt(address.slice(address.indexOf(':') + 1), 16);
}
