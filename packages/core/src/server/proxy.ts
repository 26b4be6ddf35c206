import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { SetupError } from '../errors/setup-error.js';

/**
 * The proxies to trust: the number of proxies between clients and the application, or their addresses and
 * CIDR ranges, such as `['10.0.0.0/8', '::1']`.
 */
export type TrustedProxies = number | readonly string[];

/** Which proxies to trust, and which headers they set. */
export interface ProxyOptions {
  /** The proxies to trust. */
  readonly trust: TrustedProxies;
  /**
   * The headers that the proxy sets: `'x-forwarded'` for `X-Forwarded-For`, `-Proto` and `-Host`, or
   * `'forwarded'` for `Forwarded` (RFC 7239); `'x-forwarded'` by default. The other headers are ignored,
   * because a proxy passes on what a client sends in them.
   */
  readonly header?: 'x-forwarded' | 'forwarded';
}

/** The client of a request, according to the connection or to trusted proxies. */
export interface Client {
  readonly ip: string;
  readonly protocol: 'http' | 'https';
  readonly host: string;
}

/** Returns the client of a request. */
export type ClientReader = (req: IncomingMessage) => Client;

/** Reads the client from the connection and the `Host` header. */
export function directClient({ socket, headers }: IncomingMessage): Client {
  return {
    ip: unmapped(socket.remoteAddress ?? ''),
    protocol: 'encrypted' in socket && socket.encrypted === true ? 'https' : 'http',
    host: headers.host ?? '',
  };
}

/**
 * Creates the function that reads the client of a request. Without proxies, it is {@link directClient}.
 *
 * @throws {SetupError} `INVALID_PROXY`, when the option is invalid.
 */
export function createClientReader(
  option: TrustedProxies | ProxyOptions | undefined,
): ClientReader {
  if (option === undefined) return directClient;
  const { trust, header = 'x-forwarded' } = completeOption(option);
  const isTrusted = createTrust(trust);
  const readHops = header === 'forwarded' ? readForwarded : readXForwarded;
  const clients = new WeakMap<IncomingMessage, Client>();
  return (req) => {
    const known = clients.get(req);
    if (known !== undefined) return known;
    const client = forwardedClient(directClient(req), readHops(req), isTrusted);
    clients.set(req, client);
    return client;
  };
}

/** What proxies have written about a request. Each list starts with the proxy closest to the client. */
interface Hops {
  /** The nodes that connected to each proxy. */
  readonly nodes: readonly string[];
  readonly protocols: readonly string[];
  readonly hosts: readonly string[];
}

/** Whether the sender is a trusted proxy. Senders count from 0, the one connected to the application. */
type Trust = (address: string, sender: number) => boolean;

/** Walks from the application to the client while the senders are trusted. */
function forwardedClient(
  direct: Client,
  { nodes, protocols, hosts }: Hops,
  isTrusted: Trust,
): Client {
  let { ip } = direct;
  let trusted = 0;
  while (isTrusted(ip, trusted)) {
    trusted += 1;
    // An address that is missing, obfuscated or malformed ends the walk at the proxy that reported it.
    const address = parseNode(nodes.at(-trusted) ?? '');
    if (address === undefined) break;
    ip = address;
  }
  // A proxy may pass on the value of the proxy before it, so a list may have fewer values than proxies.
  const from = (values: readonly string[]): string =>
    values.slice(-trusted || values.length)[0] ?? '';
  const protocol = from(protocols).toLowerCase();
  const host = from(hosts);
  return {
    ip,
    protocol: protocol === 'http' || protocol === 'https' ? protocol : direct.protocol,
    host: HOST.test(host) ? host : direct.host,
  };
}

/** A host name, an IPv4 address or an IPv6 address in brackets, with an optional port. RFC 3986 §3.2.2 */
const HOST = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

function readXForwarded({ headers }: IncomingMessage): Hops {
  return {
    nodes: splitList(headers['x-forwarded-for']),
    protocols: splitList(headers['x-forwarded-proto']),
    hosts: splitList(headers['x-forwarded-host']),
  };
}

/**
 * Splits at every comma, even in a quoted string: a client could open a quotation that swallows what
 * the proxy appends. Node, protocol and host contain no commas.
 */
function readForwarded({ headers }: IncomingMessage): Hops {
  const elements = splitList(headers.forwarded).map(parseElement);
  const stated = (name: string) =>
    elements.map((element) => element.get(name)).filter((value) => value !== undefined);
  return {
    nodes: elements.map((element) => element.get('for') ?? ''),
    protocols: stated('proto'),
    hosts: stated('host'),
  };
}

/** Splits a list at commas. Node joins repeated headers with commas. RFC 9110 §5.6.1 */
function splitList(header: string | readonly string[] | undefined): readonly string[] {
  return String(header ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const PAIR = new RegExp(
  `(${TOKEN})=(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)")[\\t ]*(?:;[\\t ]*|$)`,
  'y',
);

/**
 * Parses an element of `Forwarded`.
 *
 * @returns The parameters by lower-case name; none when the element is malformed.
 * @see RFC 7239 §4
 */
function parseElement(element: string): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  const none = new Map<string, string>();
  PAIR.lastIndex = 0;
  while (PAIR.lastIndex < element.length) {
    const [, name = '', token, quoted = ''] = PAIR.exec(element) ?? [];
    const key = name.toLowerCase();
    if (key === '' || pairs.has(key)) return none;
    pairs.set(key, token ?? quoted.replace(/\\(.)/g, '$1'));
  }
  return pairs;
}

/**
 * Returns the address of a node: an address with or without a port, IPv6 with or without brackets.
 *
 * @returns Undefined for `unknown`, an obfuscated identifier and malformed text.
 * @see RFC 7239 §6
 */
function parseNode(node: string): string | undefined {
  const [, bracketed, dotted] = /^(?:\[([^\]]*)\]|([\d.]+))(?::[\w.-]+)?$/.exec(node) ?? [];
  const address = bracketed ?? dotted ?? node;
  const expected = bracketed === undefined ? isIP(address) !== 0 : isIP(address) === 6;
  return expected ? unmapped(address) : undefined;
}

/** Converts an IPv4-mapped IPv6 address to IPv4. RFC 4291 §2.5.5.2 */
function unmapped(address: string): string {
  return address.replace(/^::ffff:(?=[\d.]+$)/i, '');
}

function completeOption(option: TrustedProxies | ProxyOptions): ProxyOptions {
  if (typeof option === 'number' || Array.isArray(option)) return { trust: option };
  if (typeof option !== 'object' || option === null || 'length' in option) {
    throw invalid(`it is ${show(option)}. ${USE}`);
  }
  const { trust, header, ...others } = option;
  for (const name of Object.keys(others)) {
    throw invalid(`it has no member '${name}'. Remove it, or use trust or header.`);
  }
  if (header !== undefined && header !== 'x-forwarded' && header !== 'forwarded') {
    throw invalid(`header is ${show(header)}. Use 'x-forwarded' or 'forwarded'.`);
  }
  return option;
}

const USE =
  "Use a number of proxies, or a list of addresses and CIDR ranges such as ['10.0.0.0/8'].";

function createTrust(trust: TrustedProxies): Trust {
  if (typeof trust === 'number') {
    if (!Number.isSafeInteger(trust) || trust < 0)
      throw invalid(`${trust} is not a number of proxies. ${USE}`);
    return (_address, sender) => sender < trust;
  }
  if (!Array.isArray(trust)) throw invalid(`trust is ${show(trust)}. ${USE}`);
  const list = new BlockList();
  for (const entry of trust) addRange(list, entry);
  return (address) => {
    const version = isIP(address);
    return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6');
  };
}

function addRange(list: BlockList, entry: unknown): void {
  const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(String(entry)) ?? [];
  const version = isIP(address);
  const bits = version === 4 ? 32 : 128;
  const length = Number(prefix ?? bits);
  if (version === 0 || length > bits) {
    throw invalid(
      `${show(entry)} is not an address or CIDR range. Use one such as '10.0.0.0/8' or '::1'.`,
    );
  }
  if (length === 0) {
    throw invalid(
      `${show(entry)} trusts every address, so clients could choose theirs. List your proxies.`,
    );
  }
  list.addSubnet(address, length, version === 4 ? 'ipv4' : 'ipv6');
}

function invalid(reason: string): SetupError {
  return new SetupError('INVALID_PROXY', `Invalid proxy option of createApp(): ${reason}`);
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
