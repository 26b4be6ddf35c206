import { tracingChannel } from 'node:diagnostics_channel';
import type { AnyContext, Context, TracedCall, TracedPart } from '@fairlead/core';

/** The parts whose time the header has. None of them contains another one. */
const PARTS: readonly TracedPart[] = ['guard', 'validation', 'handler', 'serialization'];

/** Milliseconds that the parts of each measured request took. */
const durations = new WeakMap<AnyContext, Map<string, number>>();

let isSubscribed = false;

/** Measures the parts of requests in applications that are sealed from now on. */
export function measureParts(): void {
  if (isSubscribed) return;
  isSubscribed = true;
  for (const part of PARTS) subscribe(part);
}

function subscribe(part: TracedPart): void {
  const started = new WeakMap<TracedCall, number>();
  const finish = (call: TracedCall): void => {
    const measured = call.ctx && durations.get(call.ctx);
    const start = started.get(call);
    if (measured === undefined || start === undefined) return;
    measured.set(part, (measured.get(part) ?? 0) + performance.now() - start);
  };
  tracingChannel<unknown, TracedCall>(`fairlead:${part}`).subscribe({
    start(call) {
      if (call.ctx !== undefined && durations.has(call.ctx)) started.set(call, performance.now());
    },
    end(call) {
      if (!call.isPending) finish(call);
    },
    asyncStart() {},
    asyncEnd: finish,
    error() {},
  });
}

/** Begins to measure the parts of a request. */
export function startTiming(ctx: Context): void {
  durations.set(ctx, new Map());
}

/**
 * Adds `Server-Timing` to a response that was not sent yet.
 *
 * @param total - Milliseconds.
 * @see https://www.w3.org/TR/server-timing/
 */
export function writeTiming(ctx: Context, total: number): void {
  if (ctx.takenOver || ctx.res.headersSent) return;
  const metrics = [...(durations.get(ctx) ?? []), ['total', total] as const];
  const text = metrics.map(([name, time]) => `${name};dur=${time.toFixed(1)}`).join(', ');
  ctx.append('Server-Timing', text);
}
