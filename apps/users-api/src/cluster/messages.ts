/** A message from a worker to its primary. */
export type WorkerMessage =
  | { readonly type: 'ready'; readonly url: string }
  | { readonly type: 'stopped-listening' }
  | { readonly type: 'metrics'; readonly id: number };

/** A message from the primary to a worker. */
export type PrimaryMessage =
  | { readonly type: 'announce-stop' | 'stop-listening' | 'stop' }
  | { readonly type: 'metrics'; readonly id: number; readonly text: string | undefined };

/**
 * Whether a message has one of these types. prom-client uses the same channel for its own messages.
 */
export function isMessage<M extends WorkerMessage | PrimaryMessage>(
  message: unknown,
  types: readonly M['type'][],
): message is M {
  if (typeof message !== 'object' || message === null || !('type' in message)) return false;
  return types.some((type) => type === message.type);
}
