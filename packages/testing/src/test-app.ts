import type { Container } from '@fairlead/di';
import type { TestRequestInit } from './test-request-init.js';

/** An application of one test, called in process. It opens no port. */
export interface TestApp extends AsyncDisposable {
  /** The application's own container, to look at what it holds. */
  readonly container: Container;
  /**
   * Sends a request through the whole application; the answer equals that of a socket.
   *
   * @param path - Path and query.
   * @param init - As of `fetch`, or `json` for a body.
   * @returns The response, its body unread.
   * @throws The error that a client would only see as a generic answer, unless `onError` takes it.
   * @throws {TypeError} When `init` cannot be sent: a body for GET, or `json` beside `body`.
   */
  request(path: string, init?: TestRequestInit): Promise<Response>;
  /**
   * Disposes what the container has built, the newest first; `await using` does, too. A second call
   * does nothing.
   *
   * @throws {AggregateError} When something failed to be disposed; the rest is disposed all the same.
   */
  close(): Promise<void>;
}
