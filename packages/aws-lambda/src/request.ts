import { isIP } from 'node:net';
import { describeValue, isHopByHop, object } from '@fairlead/options';

/** An event is not an HTTP request, or its request is malformed. */
export class LambdaEventError extends Error {
  readonly code = 'INVALID_LAMBDA_EVENT';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LambdaEventError';
  }
}

/**
 * How a gateway takes the headers of a response: one string for each name with `cookies` beside them, a list
 * of strings for each name, or one string for each name.
 */
export type HeaderForm = 'cookies' | 'multi' | 'single';

/** The request in an event. */
export interface LambdaRequest {
  readonly request: Request;
  /** The path and query of the request, in which a URL would resolve `..` and `%2e%2e`. */
  readonly target: string;
  /** Address of the client that connected to the gateway. */
  readonly ip: string;
  /** How to respond. */
  readonly form: HeaderForm;
}

/** A name and a value of a header or of a query. */
type Pair = [name: string, value: string];
type Single = Readonly<Record<string, string | undefined>> | null;
type Multi = Readonly<Record<string, readonly string[] | undefined>> | null;

/** The members that events of all gateways have. */
interface CommonEvent {
  readonly headers?: Single;
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
}

/** An event of an HTTP API or a function URL. */
interface EventV2 extends CommonEvent {
  readonly rawPath: string;
  readonly rawQueryString?: string;
  readonly cookies?: readonly string[];
  readonly requestContext: {
    readonly http: { readonly method: string; readonly sourceIp?: string };
    readonly stage?: string;
    readonly domainName?: string;
  };
}

/** An event of a REST API, or of an HTTP API with the payload format 1.0. */
interface EventV1 extends CommonEvent {
  readonly httpMethod: string;
  readonly path: string;
  readonly multiValueHeaders?: Multi;
  readonly queryStringParameters?: Single;
  readonly multiValueQueryStringParameters?: Multi;
  readonly requestContext: {
    readonly identity: { readonly sourceIp?: string | null };
    readonly domainName?: string;
  };
}

/** An event of an Application Load Balancer. */
interface AlbEvent extends Omit<EventV1, 'requestContext'> {
  readonly requestContext: { readonly elb: object };
}

/** The parts of a request that each gateway writes in its own way. */
interface Parts extends CommonEvent {
  readonly method: string;
  /** Percent-encoded. */
  readonly path: string;
  /** Percent-encoded, without a question mark. */
  readonly query: string;
  readonly multiValueHeaders?: Multi | undefined;
  readonly cookies?: readonly string[] | undefined;
  readonly domainName?: string | undefined;
  /** Undefined for gateways that write it only into `X-Forwarded-For`. */
  readonly sourceIp?: string | undefined;
}

/**
 * Reads the request from an event.
 *
 * @param basePath - Removed from the start of the path; empty for none.
 * @throws {LambdaEventError} `INVALID_LAMBDA_EVENT`
 */
export function readRequest(event: unknown, basePath: string): LambdaRequest {
  if (isV2(event)) return createRequest(partsOfV2(event), basePath, 'cookies');
  if (isAlb(event)) {
    const { multiValueHeaders, multiValueQueryStringParameters } = event;
    const isMulti = (multiValueHeaders ?? multiValueQueryStringParameters) != null;
    return createRequest(partsOfAlb(event), basePath, isMulti ? 'multi' : 'single');
  }
  if (isV1(event)) return createRequest(partsOfV1(event), basePath, 'multi');
  throw new LambdaEventError(
    `The Lambda handler received ${describeEvent(event)} instead of an HTTP request. Invoke the function through API Gateway, a function URL or an Application Load Balancer, or handle other events before you call the handler.`,
  );
}

/** An event whose members have unknown types. */
type Unknown<Event> = { readonly [Member in keyof Event]?: unknown };

function isV2(event: unknown): event is EventV2 {
  const { rawPath, requestContext }: Unknown<EventV2> = Object(event);
  const { http }: Unknown<EventV2['requestContext']> = Object(requestContext);
  const { method }: Unknown<EventV2['requestContext']['http']> = Object(http);
  return typeof rawPath === 'string' && typeof method === 'string' && !isAuthorization(event);
}

function isAlb(event: unknown): event is AlbEvent {
  const { requestContext }: Unknown<AlbEvent> = Object(event);
  const { elb }: Unknown<AlbEvent['requestContext']> = Object(requestContext);
  return object.accepts(elb) && hasMethodAndPath(event);
}

function isV1(event: unknown): event is EventV1 {
  const { requestContext }: Unknown<EventV1> = Object(event);
  const { identity }: Unknown<EventV1['requestContext']> = Object(requestContext);
  return object.accepts(identity) && hasMethodAndPath(event) && !isAuthorization(event);
}

function hasMethodAndPath(event: unknown): boolean {
  const { httpMethod, path }: Unknown<EventV1> = Object(event);
  return typeof httpMethod === 'string' && typeof path === 'string';
}

/** Whether API Gateway asks an authorizer about a request. Such an event looks like the request. */
function isAuthorization(event: unknown): boolean {
  return 'methodArn' in Object(event) || 'routeArn' in Object(event);
}

/** Describes an event for an error, without the data in it. */
function describeEvent(event: unknown): string {
  const { Records, source, requestContext }: Record<string, unknown> = Object(event);
  const { eventSource, EventSource = eventSource } = Object(Array.isArray(Records) && Records[0]);
  if (typeof EventSource === 'string') return `records of ${EventSource}`;
  if (typeof source === 'string') return `an event of ${source}`;
  if (isAuthorization(event)) return 'a request to an authorizer';
  if ('connectionId' in Object(requestContext)) return 'a WebSocket event';
  if (typeof event !== 'object' || event === null) return describeValue(event);
  const members = Object.keys(event).slice(0, 10).join(', ');
  return members === '' ? 'an empty event' : `an event with the members ${members}`;
}

function partsOfV2(event: EventV2): Parts {
  const { http, stage = '$default', domainName } = event.requestContext;
  return {
    ...event,
    method: http.method,
    path: stage === '$default' ? event.rawPath : withoutPrefix(event.rawPath, `/${stage}`),
    query: event.rawQueryString ?? '',
    sourceIp: http.sourceIp ?? '',
    domainName,
  };
}

function partsOfV1(event: EventV1): Parts {
  const { identity, domainName } = event.requestContext;
  const search = new URLSearchParams(listQuery(event));
  return {
    ...event,
    method: event.httpMethod,
    query: search.toString(),
    sourceIp: identity.sourceIp ?? '',
    domainName,
  };
}

function partsOfAlb(event: AlbEvent): Parts {
  // A load balancer does not decode the query.
  const query = listQuery(event).map((pair) => pair.join('='));
  return { ...event, method: event.httpMethod, query: query.join('&') };
}

/** Lists the names and values of a query. */
function listQuery({
  queryStringParameters,
  multiValueQueryStringParameters,
}: Pick<EventV1, 'queryStringParameters' | 'multiValueQueryStringParameters'>): Pair[] {
  return listValues(multiValueQueryStringParameters ?? queryStringParameters);
}

/** Lists the names and values of headers or of a query. */
function listValues(members: Single | Multi | undefined): Pair[] {
  return Object.entries(members ?? {}).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): Pair => [name, String(one)]),
  );
}

/** Removes a prefix that ends at a segment. */
function withoutPrefix(path: string, prefix: string): string {
  if (path === prefix) return '/';
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
}

/** The unspecified address, for a client whose address is unknown. */
const UNKNOWN_IP = '0.0.0.0';

function createRequest(parts: Parts, basePath: string, form: HeaderForm): LambdaRequest {
  const { method, body, isBase64Encoded = false } = parts;
  try {
    const headers = createHeaders(parts);
    const protocol = lastOf(headers.get('X-Forwarded-Proto')) === 'http' ? 'http' : 'https';
    const path = withoutPrefix(parts.path, basePath);
    const search = parts.query === '' ? '' : `?${encodeAll(parts.query, QUERY_DELIMITERS)}`;
    // The Fetch standard allows no body here.
    const hasBody = typeof body === 'string' && !/^(?:GET|HEAD)$/i.test(method);
    const bytes = hasBody ? Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8') : null;
    return {
      // The header names the host, which may be one that no URL can have.
      request: new Request(`${protocol}://localhost/`, { method, headers, body: bytes }),
      target: `${path.startsWith('/') ? '' : '/'}${encodeAll(path, PATH_DELIMITERS)}${search}`,
      ip: addressOf(parts.sourceIp ?? lastOf(headers.get('X-Forwarded-For'))),
      form,
    };
  } catch (cause) {
    throw new LambdaEventError(
      'The Lambda handler received an HTTP request with an invalid method or header. Check what invokes the function: API Gateway, function URLs and load balancers do not send such requests.',
      { cause },
    );
  }
}

/** Returns the bytes of a header as Node reads them: as Latin-1. */
function toBytes(value: string): string {
  return Buffer.from(value).toString('latin1');
}

function createHeaders(parts: Parts): Headers {
  const headers = new Headers();
  for (const [name, value] of listValues(parts.multiValueHeaders ?? parts.headers)) {
    const text = toBytes(value);
    // The length is that of the event's body, and nothing waits for `100 Continue`.
    if (!isHopByHop(name) && !/^(?:content-length|expect)$/i.test(name)) headers.append(name, text);
  }
  // Function URLs also have them in the header.
  const { cookies = [] } = parts;
  if (cookies.length > 0) headers.set('Cookie', toBytes(cookies.join('; ')));
  if (!headers.has('Host')) headers.set('Host', parts.domainName ?? 'localhost');
  return headers;
}

/** Returns the last entry of a list, which the gateway has appended. */
function lastOf(header: string | null): string {
  return header?.split(',').at(-1)?.trim() ?? '';
}

/** Returns an IP address without its port; {@link UNKNOWN_IP} for another text. */
function addressOf(text: string): string {
  if (isIP(text) !== 0) return text;
  const address = text.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return isIP(address) === 0 ? UNKNOWN_IP : address;
}

/** What would end a path, and what a request line cannot contain. */
const PATH_DELIMITERS = /[^\x21-\x7e]+|[?#\\]/g;
/** What would end a query, and what a request line cannot contain. */
const QUERY_DELIMITERS = /[^\x21-\x7e]+|#/g;

/** Percent-encodes characters, and keeps escapes. */
function encodeAll(text: string, delimiters: RegExp): string {
  return text.toWellFormed().replace(delimiters, encodeURIComponent);
}
