import type { Context, RequestOutcome } from '@fairlead/core';
import type { RegisteredApi, Span } from './sdk.js';

/** The key of the active span in contexts, which all copies of @opentelemetry/api share. */
export const SPAN = Symbol.for('OpenTelemetry Context Key SPAN');

/** The key of contexts within a request that is traced. Each copy of this package has its own. */
export const WITHIN_REQUEST = Symbol('within a traced request');

/** SpanKind.SERVER */
const SERVER = 1;

/** The name of the tracer of this package. */
export const TRACER = '@fairlead/opentelemetry';

/** The status code of a failed span in @opentelemetry/api. */
export const ERROR = 2;

/** The methods that spans may name. Others come from the client. */
const METHODS = /^(?:GET|HEAD|POST|PUT|DELETE|CONNECT|OPTIONS|TRACE|PATCH|QUERY)$/;

const headersOf = {
  get: (headers: NodeJS.Dict<string | string[]>, key: string) => headers[key.toLowerCase()],
  keys: (headers: NodeJS.Dict<string | string[]>) => Object.keys(headers),
};

/** Returns what the name of a span begins with: the method, or HTTP for one that spans may not name. */
export function methodName(method: string): string {
  return METHODS.test(method) ? method : 'HTTP';
}

/** A span, and what runs a function within it. */
interface Started {
  readonly span: Span;
  readonly run: <Result>(within: () => Result) => Result;
}

/**
 * Starts the server span of a request, as a child of the active span, or else of the caller's span. Ends it when the
 * response has closed. Its attributes are without the query, the address and the user agent of the client.
 *
 * @returns Undefined if nothing traces.
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 */
export function startServerSpan(api: RegisteredApi, ctx: Context): Started | undefined {
  const { trace, context, propagation } = api;
  const active = context?.active();
  if (trace === undefined) return undefined;
  const isOutermost = active !== undefined && active.getValue(SPAN) === undefined;
  const caller = isOutermost && propagation?.extract(active, ctx.req.headers, headersOf);
  const parent = caller || active;
  const name = methodName(ctx.method);
  const method = name === ctx.method ? name : '_OTHER';
  const attributes = { ...describeHost(ctx), 'http.request.method': method, 'url.path': ctx.path };
  const span = trace.getTracer(TRACER).startSpan(name, { kind: SERVER, attributes }, parent);
  ctx.onFinish((outcome) => end(span, outcome));
  const child = parent?.setValue(SPAN, span).setValue(WITHIN_REQUEST, true);
  return {
    span,
    run: (within) => (context && child ? context.with(child, within) : within()),
  };
}

function describeHost({ protocol, host = '', req }: Context): Readonly<Record<string, unknown>> {
  const version = { 'url.scheme': protocol, 'network.protocol.version': req.httpVersion };
  if (!URL.canParse(`http://${host}`)) return version;
  const { hostname, port } = new URL(`http://${host}`);
  return {
    ...version,
    'server.address': hostname,
    ...(port !== '' && { 'server.port': Number(port) }),
  };
}

function end(span: Span, { status, aborted, error }: RequestOutcome): void {
  // No status was sent to a client that has disconnected.
  if (!aborted || status < 499) span.setAttribute('http.response.status_code', status);
  if (status >= 500) {
    span.setStatus({ code: ERROR });
    if (error === undefined) span.setAttribute('error.type', String(status));
  }
  span.end();
}
