import type { Application } from '@fairlead/core';
import type { Container } from '@fairlead/di';
import type { TestSocket, TestSocketInit } from './test-socket.js';

/** The application of one test, which is called in process and opens no port. */
export interface TestApp extends AsyncDisposable {
  /** The application, such as for `describeRoutes()`. */
  readonly app: Application;
  /** The container of this application, for inspection. */
  readonly container: Container;
  /**
   * Sends a request through the whole application. The response is the same as over a socket.
   *
   * @param path - The path and query.
   * @param init - The options of `fetch`, or a `json` body.
   * @returns The response with an unread body.
   * @throws The error behind a generic error response, unless `onError` is set.
   * @throws {MissingMemberError} When the application reads a member that a fake lacks, even if the
   *   application catches the error.
   * @throws {TypeError} When `init` is invalid: a body for GET, or both `json` and `body`.
   * @throws {SetupError} `INVALID_OPTION`, when `ip` is not an IP address.
   */
  request(path: string, init?: TestRequestInit): Promise<Response>;
  /**
   * Sends a request like `request()`, for code that creates a `Request`, such as a typed client.
   *
   * @throws Same as `request()`.
   */
  fetch(request: Request): Promise<Response>;
  /**
   * Creates a client with its own cookies, such as the browser of one user.
   *
   * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid.
   */
  agent(options?: AgentOptions): TestAgent;
  /**
   * Opens a WebSocket connection to a route of the application, in memory. The handshake passes through
   * middleware and guards, as over a socket. {@link close} closes the connection.
   *
   * @param path - The path and query.
   * @param init - Headers, and subprotocols.
   * @throws {RefusedHandshakeError} When the application sends an ordinary response.
   * @throws Same as `request()`.
   */
  websocket(path: string, init?: TestSocketInit): Promise<TestSocket>;
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

/** A value in a query. A list repeats its name; undefined omits it. */
type QueryValue = string | number | bigint | boolean | undefined;

/** The options of a request: those of `fetch`, and shorthands. */
export interface TestRequestInit extends RequestInit {
  /** The body, sent as `application/json` unless the headers set another `Content-Type`. */
  readonly json?: unknown;
  /** Appended to the query of the path, percent-encoded. */
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[]>>;
  /** The IP address of the client, for `ctx.ip`. Default `127.0.0.1`. */
  readonly ip?: string;
}

/** Options of `app.agent()`. */
export interface AgentOptions {
  /**
   * The origin of the application for this client, such as `https://example.com`. It determines
   * `ctx.protocol` and `ctx.host`, and which cookies are sent. Default `http://localhost`.
   */
  readonly origin?: string;
  /** The IP address of the client, unless a request sets another. Default `127.0.0.1`. */
  readonly ip?: string;
}

/** A client that keeps the cookies of its responses. */
export interface TestAgent {
  /** Sends a request with the client's cookies, like `app.request()`. A `Cookie` header replaces them. */
  request(path: string, init?: TestRequestInit): Promise<Response>;
  /**
   * Returns the values of the cookies that a request would send, by name.
   *
   * @param path - The path of the request. Default `/`.
   */
  cookies(path?: string): Readonly<Record<string, string>>;
}
