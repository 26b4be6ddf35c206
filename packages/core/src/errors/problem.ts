import { readHttpError, titleOf } from './http-error.js';

/**
 * The body of an error response.
 *
 * @see RFC 9457 §3 for type, title, status, detail and instance.
 */
export interface Problem {
  /** Indicates that the problem has no semantics beyond its status. */
  readonly type: 'about:blank';
  /** Reason phrase of the status. */
  readonly title: string;
  /** Integer from 400 to 599. */
  readonly status: number;
  /** The error's message when exposed; the title otherwise. */
  readonly detail: string;
  /** Path of the request; absent when it is unknown. */
  readonly instance?: string;
  /** Stable upper-snake identifier of the error. */
  readonly code: string;
  /** Repeats `detail`, for clients that expect `{ error }`. */
  readonly error: string;
  /** The error's stack; present only with `includeStack`. */
  readonly stack?: string;
  /** The error's details. */
  readonly [extension: string]: unknown;
}

/** Creates the error body for a thrown value. One that is not an HTTP error becomes a generic 500. */
export function describeProblem(
  error: unknown,
  instance: string | undefined,
  includeStack: boolean,
): Problem {
  const known = readHttpError(error);
  const status = known?.status ?? 500;
  const title = titleOf(status);
  const detail = known?.expose ? known.message : title;
  const members = {
    type: 'about:blank',
    title,
    status,
    detail,
    ...(instance === undefined ? undefined : { instance }),
    code: known?.code ?? 'INTERNAL_SERVER_ERROR',
    error: detail,
    ...(includeStack && error instanceof Error && error.stack ? { stack: error.stack } : undefined),
  } as const;
  // Details come after the standard members and cannot replace them.
  return { ...members, ...(known?.expose ? known.details : undefined), ...members };
}
