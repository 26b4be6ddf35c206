import type { Context, Middleware } from '@fairlead/core';
import {
  type Attributes,
  context,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

/**
 * Makes one server span for each request, below the span that the request's headers name. It is
 * active in all that runs below, and ends when the answer is sent.
 *
 * Spans go to the SDK that the process was started with. They hold no query, address or user agent.
 *
 * @see OpenTelemetry semantic conventions for HTTP server spans
 */
export function traceRequests(): Middleware {
  const tracer = trace.getTracer('users-api');
  return function traceRequests(ctx, next) {
    const parent = propagation.extract(ROOT_CONTEXT, ctx.headers);
    const options = { kind: SpanKind.SERVER, attributes: attributesOf(ctx) };
    const span = tracer.startSpan(ctx.method, options, parent);
    ctx.state.traceId = span.spanContext().traceId;
    ctx.res.once('close', () => endSpan(span, ctx));
    return context.with(trace.setSpan(parent, span), next);
  };
}

/** Whether the process was started with an SDK that takes spans. */
export function hasTracingSdk(): boolean {
  const span = trace.getTracer('users-api').startSpan('start');
  // Not ended, so that no exporter sees it.
  return isSpanContextValid(span.spanContext());
}

function attributesOf({ method, path, req }: Context): Attributes {
  return {
    'http.request.method': method,
    'url.path': path,
    'url.scheme': 'http',
    'network.protocol.version': req.httpVersion,
  };
}

function endSpan(span: Span, { method, pattern, res }: Context): void {
  if (pattern !== undefined) {
    span.updateName(`${method} ${pattern}`);
    span.setAttribute('http.route', pattern);
  }
  if (res.headersSent) span.setAttribute('http.response.status_code', res.statusCode);
  if (res.headersSent && res.statusCode >= 500) {
    span.setAttribute('error.type', String(res.statusCode));
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}
