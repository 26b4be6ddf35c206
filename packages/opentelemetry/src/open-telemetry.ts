import { channel } from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import type { Context, Middleware, Next, PublishedError } from '@fairlead/core';
import { assertOptions, describe, describeFactories, responseFailure } from '@fairlead/core/extend';
import {
  arrayOf,
  boolean,
  describeValue,
  fn,
  type Kinds,
  named,
  oneOf,
  reporterOf,
} from '@fairlead/options';
import { leaveParts, PARTS, subscribeTo, traceParts } from './parts.js';
import {
  type ActiveContext,
  findTracingProblem,
  type RegisteredApi,
  registeredApi,
  type Span,
} from './sdk.js';
import { ERROR, methodName, SPAN, startServerSpan, WITHIN_REQUEST } from './server-span.js';

/** Options of {@link openTelemetry}. */
export interface OpenTelemetryOptions {
  /**
   * Whether a recorded exception has the message and the stack of the error; false by default, because
   * messages may quote user data.
   */
  readonly includeMessage?: boolean;
  /**
   * Called once, with a message that explains the fix, when the SDK that traces requests exports no spans;
   * `console.warn` by default.
   */
  readonly onWarning?: (message: string) => void;
  /**
   * Parts of requests that get their own spans within that of the request, such as `handler` and `guard`; none
   * by default. Call `openTelemetry()` before you register controllers.
   */
  readonly parts?: readonly (typeof PARTS)[number][];
}

const OPEN_TELEMETRY_OPTIONS: Kinds<OpenTelemetryOptions> = {
  includeMessage: boolean,
  onWarning: fn,
  parts: arrayOf(oneOf(...PARTS), `an array of ${PARTS.join(', ')}`),
};

/** Members of `ctx.state` that {@link openTelemetry} sets. */
export interface TraceState {
  /** The id of the request's trace: 32 hexadecimal digits. Undefined if the request is not traced. */
  traceId?: string;
}

/**
 * Adds details that only the application knows to the server span of each request. It starts the span, unless
 * an instrumentation has, such as `@opentelemetry/instrumentation-http`. The span that it starts for a request in process
 * is within that of the request whose handler sends it.
 *
 * - Names it `<METHOD> <pattern>` and sets `http.route`, if a route matches.
 * - Records the error behind a 5xx response, or behind a stream that fails, as an exception, and sets
 *   `fairlead.error.code` to its code, such as `STORE_FULL`.
 * - Sets `ctx.state.traceId`.
 *
 * Does nothing if no SDK is registered in the process. Works with every copy of @opentelemetry/api 1.x.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid.
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Middleware<TraceState> {
  assertOptions('openTelemetry()', options, OPEN_TELEMETRY_OPTIONS);
  const { includeMessage = false, onWarning = console.warn, parts = [] } = options;
  const report = reporterOf('onWarning of openTelemetry()', (text) => onWarning(String(text)));
  subscribeTo(parts);
  let hasWarned = false;
  // A function is subscribed as often as it is passed.
  errors.unsubscribe(onError);
  errors.subscribe(onError);

  return describe<Middleware<TraceState>>(
    named('openTelemetry', (ctx, next) => {
      const api = registeredApi();
      if (api === undefined) return next();
      traceParts(ctx, parts);
      if (!hasWarned && api.trace !== undefined) {
        hasWarned = true;
        const problem = findTracingProblem();
        if (problem !== undefined) report(problem);
      }
      const active = api.context?.active();
      const own = requests.get(ctx);
      if (own !== undefined) return follow({ ...own, includeMessage }, ctx, next);
      const request = findRequest(active, includeMessage);
      if (request !== undefined) return adopt(request, api, ctx, next);
      if (active?.getValue(SUPPRESSED) === true) return next();
      return begin(api, ctx, includeMessage, next);
    }),
    { role: 'middleware' },
  );
}

describeFactories(openTelemetry);

// The keys of a context are symbols of the global registry, so that all copies share them.
const RPC_METADATA = Symbol.for('OpenTelemetry SDK Context Key RPC_METADATA');
const SUPPRESSED = Symbol.for('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

/** What instrumentations of servers and of frameworks exchange. */
interface RpcMetadata {
  /** The server span. */
  readonly span: Span;
  /** The server's instrumentation names the span and its metrics after the route. */
  route?: string;
}

/** A request that is traced. */
interface TracedRequest {
  readonly span: Span;
  /** Undefined if no instrumentation of the server has started the span. */
  readonly metadata: RpcMetadata | undefined;
  readonly includeMessage: boolean;
}

/** Starts the span of a request, and ends it with the response. */
function begin(
  api: RegisteredApi,
  ctx: Context,
  includeMessage: boolean,
  next: Next,
): void | Promise<void> {
  const started = startServerSpan(api, ctx);
  if (started === undefined) return next();
  const { span, run } = started;
  const request = { span, metadata: undefined, includeMessage };
  return run(() => leaveParts(() => follow(request, ctx, next)));
}

/** Uses the span of an instrumentation. */
function adopt(
  request: TracedRequest,
  { context }: RegisteredApi,
  ctx: Context,
  next: Next,
): void | Promise<void> {
  const run = (): void | Promise<void> => follow(request, ctx, next);
  // A request in process must not take a span within this one for its own.
  return request.metadata === undefined && context !== undefined
    ? context.with(context.active().setValue(WITHIN_REQUEST, true), run)
    : run();
}

/** Finds the span that an instrumentation has started for a request; undefined within another request. */
function findRequest(
  active: ActiveContext | undefined,
  includeMessage: boolean,
): TracedRequest | undefined {
  const metadata = active?.getValue(RPC_METADATA) as RpcMetadata | undefined;
  const span = metadata?.span ?? (active?.getValue(SPAN) as Span | undefined);
  if (span === undefined || followed.has(span)) return undefined;
  return active?.getValue(WITHIN_REQUEST) === true ? undefined : { span, metadata, includeMessage };
}

const { prependListener } = EventEmitter.prototype;

const requests = new WeakMap<Context, TracedRequest>();

/** The spans of requests. */
const followed = new WeakSet<Span>();

/** Completes the span before the instrumentation ends it, which it does when the response closes. */
function follow(request: TracedRequest, ctx: Context, next: Next): void | Promise<void> {
  const { traceId } = request.span.spanContext();
  if (/[^0]/.test(traceId)) ctx.state.traceId = traceId;
  requests.set(ctx, request);
  followed.add(request.span);
  const complete = (): void => {
    nameSpan(request, ctx);
    const failure = responseFailure(ctx);
    if (failure !== undefined) recordError(request, failure);
    if (ctx.res.statusCode < 500) return;
    // Called at once, because the response has closed. onError does not receive errors whose message clients see.
    ctx.onFinish(({ error }) => {
      if (error !== undefined) recordError(request, error);
    });
  };
  // The response's own method binds listeners to the asynchronous context, which takes 10 µs.
  prependListener.call(ctx.res, 'close', complete);
  return request.metadata === undefined ? nameAfter(request, ctx, next) : next();
}

/** Names a span that may end as soon as the pipeline has run. */
async function nameAfter(request: TracedRequest, ctx: Context, next: Next): Promise<void> {
  try {
    await next();
  } finally {
    nameSpan(request, ctx);
  }
}

function nameSpan({ span, metadata }: TracedRequest, { method, pattern }: Context): void {
  if (pattern === undefined) return;
  // Metrics of requests have the route, too, and exist without spans.
  if (metadata !== undefined) metadata.route = pattern;
  if (!span.isRecording()) return;
  span.updateName(`${methodName(method)} ${pattern}`);
  span.setAttribute('http.route', pattern);
}

/** The diagnostics channel on which core publishes the errors that clients do not see. */
const errors = channel('fairlead:error');

/** The form of the codes of Fairlead and Node.js. Others may contain user data. */
const CODE = /^[A-Z][A-Z\d_]{0,63}$/;

function onError(message: unknown): void {
  const { error, ctx } = message as PublishedError;
  const request = requests.get(ctx);
  const isFailure = ctx.res.headersSent || ctx.status >= 500;
  if (isFailure && request !== undefined) recordError(request, error);
}

/** The errors that spans show. A stream that fails reports its error before the response closes with it. */
const recorded = new WeakMap<Span, Set<unknown>>();

function recordError({ span, includeMessage }: TracedRequest, error: unknown): void {
  const earlier = recorded.get(span) ?? new Set();
  if (!span.isRecording() || earlier.has(error)) return;
  recorded.set(span, earlier.add(error));
  span.setStatus({ code: ERROR });
  try {
    const { name, ...details } = describeError(error);
    span.recordException(includeMessage ? { name, ...details } : { name });
    span.setAttribute('error.type', name);
    const { code } = Object(error) as { readonly code?: unknown };
    if (typeof code === 'string' && CODE.test(code)) span.setAttribute('fairlead.error.code', code);
  } catch {
    // A getter of the error has thrown.
    span.setAttribute('error.type', typeof error);
  }
}

function describeError(error: unknown): { name: string; message?: string; stack?: string } {
  if (!(error instanceof Error)) return { name: typeof error, message: describeValue(error) };
  const { name, message, stack } = error;
  return { name, message, ...(stack === undefined ? {} : { stack }) };
}
