/**
 * The time from just before a request was sent until just after its response arrived. All clients
 * share one clock. A request whose `end` is below the `start` of another came first.
 */
export interface Span {
  readonly start: number;
  readonly end: number;
}

let now = 0;

/** Advances the clock and returns the new moment. Every moment is unique. */
export function tick(): number {
  now += 1;
  return now;
}
