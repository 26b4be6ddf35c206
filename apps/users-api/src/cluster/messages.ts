/** What a worker tells its primary. */
export type WorkerMessage =
  | { readonly type: 'ready'; readonly url: string }
  | { readonly type: 'stopped-listening' }
  | { readonly type: 'metrics'; readonly id: number };

/** What a primary tells a worker. */
export type PrimaryMessage =
  | { readonly type: 'announce-stop' | 'stop-listening' | 'stop' }
  | { readonly type: 'metrics'; readonly id: number; readonly text: string | undefined };

/**
 * Whether a message is one of ours: prom-client sends messages of its own over the same channel.
 *
 * @param types - The types that are.
 */
export function isMessage<M extends WorkerMessage | PrimaryMessage>(
  message: unknown,
  types: readonly M['type'][],
): message is M {
  if (typeof message !== 'object' || message === null || !('type' in message)) return false;
  return types.some((type) => type === message.type);
}
