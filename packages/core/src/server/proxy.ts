import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { anything, describeValue, findOptionProblems, type Kinds, oneOf } from '@fairlead/options';
import { SetupError } from '../errors/setup-error.js';
import { authorityOf } from '../target.js';

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

/** Returns the client of a request. */
export type ClientReader = (req: IncomingMessage) => Client;

/**
 * Reads the client from the connection, and the host from an absolute-form target or the `Host` header.
 *
 * @see RFC 9112 §3.2.2
 */
export function directClient({ socket, headers, url = '' }: IncomingMessage): Client {
  return {
    ip: unmapped(socket.remoteAddress ?? ''),
    protocol: 'encrypted' in socket && socket.encrypted === true ? 'https' : 'http',
    host: authorityOf(url) ?? headers.host ?? '',
  };
}

/**
 * Creates the function that reads the client of a request. Without proxies, it is {@link directClient}.
 *
 * @param option - See {@link findProxyErrors}.
 */
export function createClientReader(
  option: TrustedProxies | ProxyOptions | undefined,
): ClientReader {
  if (option === undefined) return directClient;
  const { trust, header = 'x-forwarded' }: ProxyOptions = isTrust(option)
    ? { trust: option }
    : option;
  const isTrusted = createTrust(trust);
  const read = header === 'forwarded' ? readForwarded : readXForwarded;
  const clients = new WeakMap<IncomingMessage, Client>();
  return (req) => {
    const known = clients.get(req);
    if (known !== undefined) return known;
    const client = forwardedClient(directClient(req), read(req), isTrusted);
    clients.set(req, client);
    return client;
  };
}

/** Returns what a proxy has written about a request. Proxies count from 1, the one connected to the application. */
type Statements = (proxy: number) => {
  /** The node that connected to the proxy. */
  readonly node: string | undefined;
  readonly protocol: string | undefined;
  readonly host: string | undefined;
};

/** Whether the sender is a trusted proxy. Senders count from 0, the one connected to the application. */
type Trust = (address: string, sender: number) => boolean;

/** Walks from the application to the client while the senders are trusted. */
function forwardedClient(direct: Client, statements: Statements, isTrusted: Trust): Client {
  let { ip } = direct;
  let trusted = 0;
  while (isTrusted(ip, trusted)) {
    trusted += 1;
    // An address that is missing, obfuscated or malformed ends the walk at the proxy that reported it.
    const address = parseNode(statements(trusted).node ?? '');
    if (address === undefined) break;
    ip = address;
  }
  if (trusted === 0) return direct;
  const { protocol: stated, host = '' } = statements(trusted);
  const protocol = stated?.toLowerCase();
  return {
    ip,
    protocol: protocol === 'http' || protocol === 'https' ? protocol : direct.protocol,
    host: HOST.test(host) ? host : direct.host,
  };
}

/** A host name, an IPv4 address or an IPv6 address in brackets, with an optional port. RFC 3986 §3.2.2 */
const HOST = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** Reads headers to whose lists each proxy has appended an entry. */
function readXForwarded({ headers }: IncomingMessage): Statements {
  const nodes = splitList(headers['x-forwarded-for']);
  const protocols = splitList(headers['x-forwarded-proto']);
  const hosts = splitList(headers['x-forwarded-host']);
  // Some proxies set a protocol or host that the others pass on. With any other number of entries than one, it is
  // unknown who wrote them.
  const entryOf = (entries: readonly string[], proxy: number) =>
    entries.length === 1 ? entries[0] : entries.at(-proxy);
  return (proxy) => ({
    node: nodes.at(-proxy),
    protocol: entryOf(protocols, proxy),
    host: entryOf(hosts, proxy),
  });
}

function readForwarded({ headers }: IncomingMessage): Statements {
  const elements = parseForwarded(headers.forwarded ?? '');
  return (proxy) => {
    const element = elements[proxy - 1];
    return {
      node: element?.get('for'),
      protocol: element?.get('proto'),
      host: element?.get('host'),
    };
  };
}

/** Splits a list at commas. Node joins repeated headers with commas. An empty entry keeps its place. */
function splitList(header: string | readonly string[] | undefined): readonly string[] {
  return String(header ?? '')
    .split(',')
    .map((entry) => entry.trim());
}

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
/** Matches a quote after an odd number of backslashes, read backwards. */
const ESCAPED_QUOTE = '"(?=(?:\\\\\\\\)*\\\\(?!\\\\))';
/** Matches a parameter with the separator before it, read backwards. The parameter may be missing. */
const REVERSED_PARAMETER = new RegExp(
  `[\\t ]*(?:(?:(${TOKEN})|"((?:[^"]|${ESCAPED_QUOTE})*)")=(${TOKEN})[\\t ]*)?(;|,|$)`,
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
  const reversed = reverse(header);
  const elements: ReadonlyMap<string, string>[] = [];
  let parameters = new Map<string, string>();
  let isRepeated = false;
  REVERSED_PARAMETER.lastIndex = 0;
  for (;;) {
    const match = REVERSED_PARAMETER.exec(reversed);
    if (match === null) return elements;
    const [, token, quoted = '', name, separator] = match;
    const value = reverse(token ?? quoted);
    if (token === undefined && !QUOTED.test(value)) return elements;
    if (name !== undefined) {
      const key = reverse(name).toLowerCase();
      isRepeated ||= parameters.has(key);
      parameters.set(key, token === undefined ? value.replace(/\\(.)/g, '$1') : value);
    }
    if (separator === ';') continue;
    elements.push(isRepeated ? new Map() : parameters);
    if (separator === '') return elements;
    parameters = new Map();
    isRepeated = false;
  }
}

/** Matches what a quoted string may contain between its quotes. RFC 9110 §5.6.4 */
const QUOTED = /^(?:[^"\\]|\\.)*$/;

/** Reverses the value of a header, which has no characters past U+00FF. */
function reverse(text: string): string {
  return text.split('').reverse().join('');
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

/** Whether an option has the type of {@link TrustedProxies}. */
function isTrust(option: unknown): option is TrustedProxies {
  return typeof option === 'number' || Array.isArray(option);
}

const PROXY_OPTIONS: Kinds<ProxyOptions> = {
  // findTrustProblems() checks it.
  trust: anything,
  header: oneOf('x-forwarded', 'forwarded'),
};

/**
 * Finds what is wrong with the option `proxy` of `createApp()`.
 *
 * @returns Errors with the code `INVALID_PROXY`.
 */
export function findProxyErrors(option: unknown): readonly SetupError[] {
  if (option === undefined) return [];
  const isOptions = typeof option === 'object' && option !== null && !Array.isArray(option);
  const problems = isOptions
    ? [
        ...findTrustProblems('createApp({ proxy })', 'trust', Reflect.get(option, 'trust')),
        ...findOptionProblems<object>('createApp({ proxy })', option, PROXY_OPTIONS),
      ]
    : findTrustProblems('createApp()', 'proxy', option);
  return problems.map((message) => new SetupError('INVALID_PROXY', message));
}

function findTrustProblems(call: string, name: string, trust: unknown): readonly string[] {
  if (Array.isArray(trust)) return trust.flatMap((entry) => findRangeProblem(call, name, entry));
  if (Number.isSafeInteger(trust) && Number(trust) >= 0) return [];
  return [
    `${call} cannot use ${describeValue(trust)} as ${name}. Use a number of proxies, or a list of addresses and CIDR ranges such as ['10.0.0.0/8'].`,
  ];
}

function findRangeProblem(call: string, name: string, entry: unknown): readonly string[] {
  const range = parseRange(entry);
  if (range !== undefined && range.length > 0) return [];
  const problem = `${call} cannot use ${describeValue(entry)} in ${name}`;
  return range === undefined
    ? [`${problem}. Use an address or CIDR range such as '10.0.0.0/8' or '::1'.`]
    : [`${problem}: clients could choose their address. List your proxies.`];
}

function createTrust(trust: TrustedProxies): Trust {
  if (typeof trust === 'number') return (_address, sender) => sender < trust;
  const list = new BlockList();
  for (const entry of trust) {
    const range = parseRange(entry);
    if (range !== undefined) list.addSubnet(range.address, range.length, range.family);
  }
  return (address) => {
    const version = isIP(address);
    return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6');
  };
}

/** An address, or a range of addresses with a common prefix of `length` bits. */
interface AddressRange {
  readonly address: string;
  readonly length: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** Parses an address or a CIDR range. Returns undefined for other values. RFC 4632 §3.1, RFC 4291 §2.3 */
function parseRange(entry: unknown): AddressRange | undefined {
  if (typeof entry !== 'string') return undefined;
  const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const version = isIP(address);
  const bits = version === 4 ? 32 : 128;
  const length = Number(prefix ?? bits);
  if (version === 0 || length > bits) return undefined;
  return { address, length, family: version === 4 ? 'ipv4' : 'ipv6' };
}
