/** What `isErrored()` of node:stream reads. */
const ERRORED = Symbol.for('nodejs.stream.errored');

/**
 * Cancels a web stream. Since Node.js 24, the stream of a `FormData` is written on after that, and the write fails with
 * an unhandled rejection. Node.js writes no more to a stream for which `isErrored()` of node:stream returns true. This does
 * not reach the stream behind a clone of a request or response, or behind a `Request` that was created from another.
 *
 * @param locked - The reader of the stream, if it has one.
 */
export async function cancelStream(
  stream: Pick<ReadableStream, 'cancel'>,
  reason?: unknown,
  locked: Pick<ReadableStream, 'cancel'> = stream,
): Promise<void> {
  Reflect.defineProperty(stream, ERRORED, { value: true });
  await locked.cancel(reason);
}

/** Whether {@link cancelStream} has canceled a stream. */
export function isCanceled(stream: object): boolean {
  return Object.hasOwn(stream, ERRORED);
}
