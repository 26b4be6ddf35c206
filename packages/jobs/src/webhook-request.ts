import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** A webhook to send. */
export interface WebhookRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  readonly allowPrivate: boolean;
}

/**
 * Sends a webhook. Follows no redirect, and ignores the body of the response.
 *
 * @param url - Whose address {@link explainUrl} accepts.
 * @returns The status.
 * @throws {Error} When the connection fails or closes without a response, or the host has private addresses only. It
 *   connects to the address that was checked, also if the name of the host means another one a moment later.
 */
export function post(
  url: URL,
  { headers, body, signal, allowPrivate }: WebhookRequest,
): Promise<number> {
  // An import would load undici, too.
  const { request } = process.getBuiltinModule(
    url.protocol === 'http:' ? 'node:http' : 'node:https',
  );
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      headers,
      signal,
      // Connections are not kept, because endpoints of many hosts get a webhook now and then.
      agent: false,
      ...(!allowPrivate && { lookup: lookupPublic }),
    };
    const sent = request(url, options, (response) => {
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    // A protocol switch, which nobody has asked for, emits neither a response nor an error.
    sent.on('close', () => reject(new Error('the connection was closed without a response')));
    sent.on('error', reject).end(body);
  });
}

/** Explains why no webhook may be sent to a URL; undefined if one may. */
export function explainUrl(
  url: URL,
  { allowPrivate, allowHttp }: { readonly allowPrivate: boolean; readonly allowHttp: boolean },
): string | undefined {
  const { protocol, username, password, hostname } = url;
  if (protocol !== 'https:' && !(protocol === 'http:' && allowHttp)) {
    return `a URL of ${protocol} is not allowed`;
  }
  if (username !== '' || password !== '') return 'a URL with a password is not allowed';
  // Node.js looks up no address.
  const address = hostname.replace(/^\[|\]$/g, '');
  if (!allowPrivate && isIP(address) !== 0 && !isPublic(address)) {
    return `the address ${address} is not public`;
  }
  return undefined;
}

const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, '');
    const found = addresses.filter(({ address }) => isPublic(address));
    const [first] = found;
    if (first === undefined) {
      return callback(new Error(`the host ${hostname} has no public address`), '');
    }
    if (options.all === true) callback(null, found);
    else callback(null, first.address, first.family);
  });
};

/** IPv4 networks that are not public. @see https://www.iana.org/assignments/iana-ipv4-special-registry */
const PRIVATE_4 = networksOf('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]);

/** The only IPv6 network with public addresses, and its parts without. The others may contain IPv4 addresses. */
const PUBLIC_6 = networksOf('ipv6', ['2000::/3']);
const PRIVATE_6 = networksOf('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

function networksOf(type: 'ipv4' | 'ipv6', networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), type);
  }
  return list;
}

/** Whether everyone can reach an IP address. */
export function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !PRIVATE_4.check(address, 'ipv4');
  // An address with a zone is of a local network.
  if (address.includes('%')) return false;
  return PUBLIC_6.check(address, 'ipv6') && !PRIVATE_6.check(address, 'ipv6');
}
