import type { IncomingMessage } from 'node:http';
import { BlockList, type IPVersion, isIP, isIPv4, isIPv6, type Socket } from 'node:net';
import {
  anything,
  describeValue,
  findOptionProblems,
  type Kinds,
  object,
  oneOf,
} from '@fairlead/options';
import { authorityOf, isHost } from './target.js';

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
   * because a proxy forwards whatever a client sends in them.
   */
  readonly header?: 'x-forwarded' | 'forwarded';
}

/** The client of a request, according to the connection or to trusted proxies. */
export interface Client {
  readonly ip: string;
  readonly protocol: 'http' | 'https';
  readonly host: string;
}

/** Receives the socket because a request may have lost it. */
export type ClientReader = (req: IncomingMessage, socket: Socket | undefined) => Client;

/**
 * Reads the client from the connection, and the host from an absolute-form target or the `Host` header.
 *
 * @see RFC 9112 §3.2.2
 */
export function directClient(
  { headers, url = '' }: IncomingMessage,
  socket: Socket | undefined,
): Client {
  const isEncrypted = socket !== undefined && 'encrypted' in socket && socket.encrypted === true;
  return {
    ip: unmapped(socket?.remoteAddress ?? ''),
    protocol: isEncrypted ? 'https' : 'http',
    host: authorityOf(url) ?? headers.host ?? '',
  };
}

/** Creates the function that reads the client of a request. */
export function createClientReader(
  option: TrustedProxies | ProxyOptions | undefined,
): ClientReader {
  if (option === undefined) return directClient;
  const { trust, header = 'x-forwarded' }: ProxyOptions =
    typeof option === 'object' && 'trust' in option ? option : { trust: option };
  const isTrusted = createTrust(trust);
  const read = header === 'forwarded' ? readForwarded : readXForwarded;
  const clients = new WeakMap<IncomingMessage, Client>();
  return (req, socket) => {
    const known = clients.get(req);
    if (known !== undefined) return known;
    const client = forwardedClient(directClient(req, socket), read(req), isTrusted);
    clients.set(req, client);
    return client;
  };
}

/** Returns what a proxy has written about a request. Proxies count from 1, the one connected to the application. */
type Statements = (proxy: number, name: 'for' | 'proto' | 'host') => string | undefined;

/** Whether the sender is a trusted proxy. Senders count from 0, the one connected to the application. */
type Trust = (address: string, sender: number) => boolean;

/** Walks from the application to the client while the senders are trusted. */
function forwardedClient(direct: Client, statements: Statements, isTrusted: Trust): Client {
  let { ip } = direct;
  let trusted = 0;
  while (isTrusted(ip, trusted)) {
    trusted += 1;
    // An address that is missing, obfuscated or malformed ends the walk at the proxy that reported it.
    const address = parseNode(statements(trusted, 'for') ?? '');
    if (address === undefined) break;
    ip = address;
  }
  if (trusted === 0) return direct;
  const host = statements(trusted, 'host') ?? '';
  const protocol = statements(trusted, 'proto')?.toLowerCase();
  return {
    ip,
    protocol: protocol === 'http' || protocol === 'https' ? protocol : direct.protocol,
    host: isHost(host) ? host : direct.host,
  };
}

/** Reads headers to whose lists each proxy has appended an entry. */
function readXForwarded({ headers }: IncomingMessage): Statements {
  const lists = {
    for: splitList(headers['x-forwarded-for']),
    proto: splitList(headers['x-forwarded-proto']),
    host: splitList(headers['x-forwarded-host']),
  };
  return (proxy, name) => {
    const list = lists[name];
    // Some proxies set a protocol or host that the others pass on. With any other number of entries than one, it is
    // unknown who wrote them.
    return name !== 'for' && list.length === 1 ? list[0] : list.at(-proxy);
  };
}

function readForwarded({ headers }: IncomingMessage): Statements {
  const elements = parseForwarded(headers.forwarded ?? '');
  return (proxy, name) => elements[proxy - 1]?.get(name);
}

/** Splits a list at commas. Node joins repeated headers with commas. An empty entry keeps its place. */
function splitList(header: string | readonly string[] | undefined): readonly string[] {
  return String(header ?? '')
    .split(',')
    .map((entry) => entry.trim());
}

const TOKEN = "([\\w!#$%&'*+.^`|~-]+)";
const QUOTED = '"((?:[^"\\\\]|\\\\.)*)"';
/** Matches what ends at an index: a parameter, or the blanks in its place, after a separator or the start. */
const PARAMETER = new RegExp(
  `(?<=(^|[,;])([\\t ]*(?:${TOKEN}=(?:${TOKEN}|${QUOTED})[\\t ]*)?))`,
  'y',
);

/**
 * Parses `Forwarded` from the right, up to the first malformed element. Only this direction is safe: a
 * client could open a quotation on the left that swallows what proxies append.
 *
 * @returns The parameters of each element by lower-case name, the last element first. None of an element
 *   that repeats a parameter.
 * @see RFC 7239 §4
 */
function parseForwarded(header: string): readonly ReadonlyMap<string, string>[] {
  const elements: ReadonlyMap<string, string>[] = [];
  let parameters = new Map<string, string>();
  let isRepeated = false;
  PARAMETER.lastIndex = header.length;
  for (;;) {
    const end = PARAMETER.lastIndex;
    const match = PARAMETER.exec(header);
    if (match === null) return elements;
    const [, separator = '', text = '', name, token, quoted = ''] = match;
    if (name !== undefined) {
      const key = name.toLowerCase();
      isRepeated ||= parameters.has(key);
      parameters.set(key, token ?? quoted.replace(/\\(.)/g, '$1'));
    }
    PARAMETER.lastIndex = end - text.length - separator.length;
    if (separator === ';') continue;
    elements.push(isRepeated ? new Map() : parameters);
    if (separator === '') return elements;
    parameters = new Map();
    isRepeated = false;
  }
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

const PROXY_OPTIONS: Kinds<ProxyOptions> = {
  // findTrustProblems() checks it.
  trust: anything,
  header: oneOf('x-forwarded', 'forwarded'),
};

/** Finds what is wrong with the option `proxy` of `createApp()`. */
export function findProxyProblems(option: unknown): readonly string[] {
  if (option === undefined) return [];
  return object.accepts(option)
    ? [
        ...findTrustProblems('createApp({ proxy })', 'trust', Object(option).trust),
        ...findOptionProblems('createApp({ proxy })', Object(option), PROXY_OPTIONS),
      ]
    : findTrustProblems('createApp()', 'proxy', option);
}

function findTrustProblems(call: string, name: string, trust: unknown): readonly string[] {
  if (Array.isArray(trust)) return trust.flatMap((entry) => findRangeProblem(call, name, entry));
  if (Number.isSafeInteger(trust) && Number(trust) >= 0) return [];
  return [
    `${name} of ${call} must be a number of proxies, or a list of addresses and CIDR ranges such as ['10.0.0.0/8']: got ${describeValue(trust)}.`,
  ];
}

function findRangeProblem(call: string, name: string, entry: unknown): readonly string[] {
  const range = parseRange(entry);
  if (range !== undefined && range[1] > 0) return [];
  const problem = `${call} cannot use ${describeValue(entry)} in ${name}`;
  return range === undefined
    ? [`${problem}. Use an address or CIDR range such as '10.0.0.0/8' or '::1'.`]
    : [`${problem}: clients could choose their address. List your proxies.`];
}

function createTrust(trust: TrustedProxies): Trust {
  if (typeof trust === 'number') return (_address, sender) => sender < trust;
  const list = new BlockList();
  for (const range of trust.map(parseRange)) if (range !== undefined) list.addSubnet(...range);
  return (address) => {
    const family = familyOf(address);
    return family !== undefined && list.check(address, family);
  };
}

/** Parses an address or a CIDR range. Returns undefined for other values. RFC 4632 §3.1, RFC 4291 §2.3 */
function parseRange(
  entry: unknown,
): readonly [address: string, prefix: number, family: IPVersion] | undefined {
  if (typeof entry !== 'string') return undefined;
  const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const family = familyOf(address);
  const bits = family === 'ipv4' ? 32 : 128;
  const length = Number(prefix ?? bits);
  return family === undefined || length > bits ? undefined : [address, length, family];
}

function familyOf(address: string): IPVersion | undefined {
  if (isIPv4(address)) return 'ipv4';
  return isIPv6(address) ? 'ipv6' : undefined;
}
