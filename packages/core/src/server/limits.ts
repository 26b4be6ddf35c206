import type { IncomingMessage } from 'node:http';
import { explainSeconds, integer, type Kinds, SHORTEST_TIMEOUT } from '@fairlead/options';
import { HttpError } from '../errors/http-error.js';
import { isHost } from './target.js';

/** Limits on the requests that a server accepts, and its timeouts. */
export interface ServerLimits {
  /** Milliseconds from the start of a request until its headers are complete; 20,000 by default. */
  readonly headersTimeout?: number;
  /** Milliseconds from the start of a request until its body is complete; 120,000 by default. */
  readonly requestTimeout?: number;
  /**
   * Milliseconds that a connection may stay idle between two requests; 72,000 by default. Responses
   * announce it as `Keep-Alive: timeout=<seconds>`. 0 sets no limit.
   */
  readonly keepAliveTimeout?: number;
  /**
   * Milliseconds that a client may accept no bytes of a pending response before the server closes its
   * connection; 30,000 by default. 0 sets no limit.
   */
  readonly writeTimeout?: number;
  /** Maximum bytes of the request line and headers together; 16,384 by default. */
  readonly maxHeaderSize?: number;
  /** Maximum number of request headers; 200 by default. */
  readonly maxHeaders?: number;
  /** Maximum bytes of the request target; 8,192 by default. */
  readonly maxTargetSize?: number;
}

const MILLISECONDS = integer(0, undefined, 'number of milliseconds');
const BYTES = integer(0, undefined, 'number of bytes');

export const SERVER_LIMITS: Kinds<ServerLimits> = {
  headersTimeout: MILLISECONDS,
  requestTimeout: MILLISECONDS,
  keepAliveTimeout: MILLISECONDS,
  writeTimeout: MILLISECONDS,
  maxHeaderSize: BYTES,
  maxHeaders: integer(0),
  maxTargetSize: BYTES,
};

/** Describes the timeouts that were probably meant in seconds. */
export function describeTimeouts(limits: ServerLimits): readonly string[] {
  const names = ['headersTimeout', 'requestTimeout', 'keepAliveTimeout', 'writeTimeout'] as const;
  return names.flatMap(
    (name) =>
      explainSeconds(`The option ${name} is`, limits[name], SHORTEST_TIMEOUT, 'the options') ?? [],
  );
}

/** Fills in the default limits. */
export function completeLimits(limits: ServerLimits): Required<ServerLimits> {
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  const defaults = {
    headersTimeout: 20_000,
    requestTimeout: 120_000,
    keepAliveTimeout: 72_000,
    writeTimeout: 30_000,
    maxHeaderSize: 16_384,
    maxHeaders: 200,
    maxTargetSize: 8_192,
  };
  return Object.freeze({ ...defaults, ...Object.fromEntries(given) });
}

/** The last `Host` that matched. Most requests repeat it. */
let knownHost = '';

/** Returns the error of an unacceptable request head, or undefined. Small, so that V8 inlines it. */
export function checkHead(
  req: IncomingMessage,
  limits: Required<ServerLimits>,
): HttpError | undefined {
  const { rawHeaders } = req;
  let hosts = 0;
  let host: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') {
      hosts += 1;
      host = rawHeaders[index + 1];
    }
  }
  const isKnown = hosts === 1 && host === knownHost && req.httpVersion === '1.1';
  const isShort = rawHeaders.length <= 2 * limits.maxHeaders;
  if (isKnown && isShort && String(req.url).length <= limits.maxTargetSize) return undefined;
  return findRefusal(req, limits, hosts, host);
}

/** Same as {@link checkHead}, for any head. Without a version, Node.js assumes HTTP/0.9. */
function findRefusal(
  { url = '', rawHeaders, httpVersion, headers }: IncomingMessage,
  { maxHeaders, maxTargetSize }: Required<ServerLimits>,
  hosts: number,
  host = '',
): HttpError | undefined {
  if (url.length > maxTargetSize)
    return new HttpError(414, `The request target is longer than ${maxTargetSize} bytes.`);
  if (rawHeaders.length > 2 * maxHeaders)
    return new HttpError(431, `The request has more than ${maxHeaders} headers.`);
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1'))
    return new HttpError(400, `The request has ${hosts} Host headers. Send exactly one.`);
  if (host !== knownHost && host !== '' && !isHost(host))
    return new HttpError(400, 'The Host header is not a host. Send that of the URL.');
  knownHost = host;
  if (httpVersion === '1.1') return undefined;
  if (httpVersion !== '1.0')
    return new HttpError(httpVersion === '0.9' ? 400 : 505, 'Send HTTP/1.1.', { expose: true });
  if (headers['transfer-encoding'] === undefined) return undefined;
  return new HttpError(400, 'HTTP/1.0 has no Transfer-Encoding. Send a Content-Length.');
}
