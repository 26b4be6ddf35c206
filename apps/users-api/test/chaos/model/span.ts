/**
 * From before a request was sent until after its answer was there, on the one clock that all
 * clients share: what `end` of one is below `start` of another came before it.
 */
export interface Span {
  readonly start: number;
  readonly end: number;
}

let now = 0;

/** The next moment of the clock; no two are alike. */
export function tick(): number {
  now += 1;
  return now;
}
