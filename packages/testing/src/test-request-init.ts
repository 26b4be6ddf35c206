/** What a call takes: the `init` of `fetch`, or a value to be sent as JSON. */
export interface TestRequestInit extends RequestInit {
  /** Sent as the body, with `Content-Type: application/json` unless the headers have a type. */
  readonly json?: unknown;
}

/**
 * Writes a value of `json` out as the body.
 *
 * @throws {TypeError} When there is a body beside it, or JSON cannot write the value.
 */
export function toRequestInit({ json, ...init }: TestRequestInit): RequestInit {
  if (json === undefined) return init;
  if (init.body != null) {
    throw new TypeError('A request has one body: give either json or body.');
  }
  const headers = new Headers(init.headers);
  if (!headers.has('Content-Type')) headers.set('Content-Type', 'application/json');
  return { ...init, headers, body: JSON.stringify(json) };
}
