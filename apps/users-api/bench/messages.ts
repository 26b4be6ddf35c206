/** A message to a server: reset the measurement, or report it. */
export type Request = 'begin' | 'read';

/** A message from a server: its URL, or the event loop delay since `begin`. */
export type Reply =
  | { readonly type: 'listens'; readonly url: string }
  | { readonly type: 'began' }
  | { readonly type: 'delay'; readonly delay: LoopDelay };

/** Percentiles of the event loop delay, in milliseconds. */
export interface LoopDelay {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}
