import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import type { TracedCall, TracedPart } from '@fairlead/core';
import { registeredApi, type Span } from './sdk.js';
import { ERROR, SPAN, TRACER } from './server-span.js';

/** The parts of requests that spans can show. */
export const PARTS = [
  'middleware',
  'guard',
  'validation',
  'handler',
  'serialization',
  'container',
] as const satisfies readonly TracedPart[];

/** SpanKind.INTERNAL */
const INTERNAL = 0;

/** The span of the innermost part that runs. */
const spans = new AsyncLocalStorage<Span | undefined>();

const traced = new Set<TracedPart>();

/** The parts of each request that have spans. */
const partsOf = new WeakMap<object, readonly TracedPart[]>();

/** Listens to these parts, so that applications that are sealed from now on publish them. */
export function subscribeTo(parts: readonly TracedPart[]): void {
  for (const part of parts) {
    if (traced.has(part)) continue;
    traced.add(part);
    trace(part);
  }
}

/** Starts spans for these parts of a request. */
export function traceParts(ctx: object, parts: readonly TracedPart[]): void {
  if (parts.length > 0) partsOf.set(ctx, parts);
}

/** Runs a function outside of the parts of other requests. */
export function leaveParts<Result>(run: () => Result): Result {
  return spans.getStore() === undefined ? run() : spans.run(undefined, run);
}

function trace(part: TracedPart): void {
  const channel = tracingChannel<Span | undefined, TracedCall>(`fairlead:${part}`);
  const open = new WeakMap<object, Span>();
  const end = (call: object): void => open.get(call)?.end();
  channel.start.bindStore(spans, (call) => {
    const isTraced = call.ctx !== undefined && partsOf.get(call.ctx)?.includes(part);
    const span = isTraced ? startSpan(`${part} ${call.name}`) : undefined;
    if (span !== undefined) open.set(call, span);
    return span ?? spans.getStore();
  });
  channel.subscribe({
    start() {},
    end(call) {
      if (!call.isPending) end(call);
    },
    asyncStart() {},
    asyncEnd: end,
    error(call) {
      open.get(call)?.setStatus({ code: ERROR });
    },
  });
}

/** Starts a span within that of the part or the request that runs. Starts none outside of a traced request. */
function startSpan(name: string): Span | undefined {
  const api = registeredApi();
  const active = api?.context?.active();
  const outer = spans.getStore();
  const isWithin = outer !== undefined || active?.getValue(SPAN) !== undefined;
  if (!isWithin || api?.trace === undefined) return undefined;
  const parent = outer === undefined ? active : active?.setValue(SPAN, outer);
  return api.trace.getTracer(TRACER).startSpan(name, { kind: INTERNAL, attributes: {} }, parent);
}
