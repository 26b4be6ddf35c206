import type { Container } from '@fairlead/di';

/** The application of one test, which is called in process and opens no port. */
export interface TestApp extends AsyncDisposable {
  /** The container of this application, for inspection. */
  readonly container: Container;
  /**
   * Sends a request through the whole application. The response equals that of a socket.
   *
   * @param path - The path and query.
   * @param init - The options of `fetch`, or a `json` body.
   * @returns The response with an unread body.
   * @throws The error behind a generic error response, unless `onError` is set.
   * @throws {MissingMemberError} When the application reads a member that a fake lacks, even if the
   *   application catches the error.
   * @throws {TypeError} When `init` is invalid: a body for GET, or both `json` and `body`.
   */
  request(path: string, init?: TestRequestInit): Promise<Response>;
  /**
   * Closes the application and disposes the instances of the container, newest first. `await using`
   * calls it too. Further calls return the same promise.
   *
   * @throws {AggregateError} When some instances fail to dispose, after trying all of them.
   * @throws {UnusedOverrideError} When nothing has used an override. `await using` only throws it if
   *   there were requests and none has rejected, so that it does not hide the error of the test.
   */
  close(): Promise<void>;
}

/** The options of a request: those of `fetch`, or a value to send as JSON. */
export interface TestRequestInit extends RequestInit {
  /** The body, sent as `application/json` unless the headers set another `Content-Type`. */
  readonly json?: unknown;
}
