/** What the bench asks a server for. */
export type Request = 'begin' | 'read';

/** What a server answers: where it listens, or how late its event loop was since `begin`. */
export type Reply =
  | { readonly type: 'listens'; readonly url: string }
  | { readonly type: 'began' }
  | { readonly type: 'delay'; readonly delay: LoopDelay };

/** How late timers fired, in milliseconds. */
export interface LoopDelay {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}
