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
 * Traces each request as a server span, a child of the span in the request headers. The span is active
 * in the rest of the pipeline and ends when the response closes. It contains no query, address or user
 * agent.
 *
 * The SDK that is registered in the process exports the spans. Names and attributes follow the
 * OpenTelemetry semantic conventions for HTTP server spans.
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

/** Whether an OpenTelemetry SDK is registered in this process. */
export function hasTracingSdk(): boolean {
  const span = trace.getTracer('users-api').startSpan('start');
  // The span is never ended, so it is not exported.
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
