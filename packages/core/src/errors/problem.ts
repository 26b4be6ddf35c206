import { readHttpError, titleOf } from './http-error.js';

/**
 * The body of an error response.
 *
 * @see RFC 9457 §3 for type, title, status, detail and instance.
 */
export interface Problem {
  /** Says that `title` and `status` tell the kind of the error. */
  readonly type: 'about:blank';
  /** Reason phrase of the status. */
  readonly title: string;
  /** Integer from 400 to 599. */
  readonly status: number;
  /** The error's message where it is exposed, the title where it is not. */
  readonly detail: string;
  /** Path of the request; absent when none could be read. */
  readonly instance?: string;
  /** Stable upper-snake identifier of the error. */
  readonly code: string;
  /** Repeats `detail`, for clients of the plain `{ error }` shape. */
  readonly error: string;
  /** The error's stack; absent unless it was asked for. */
  readonly stack?: string;
  /** Details of the error. */
  readonly [extension: string]: unknown;
}

/**
 * Describes a thrown value for a client.
 *
 * @param error - Anything that was thrown; what `readHttpError` does not know becomes a generic 500.
 * @param instance - Path of the request that failed, when it is known.
 * @param includeStack - Whether to add the error's stack, whatever it exposes.
 */
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
  // Details follow the standard members, and replace none of them.
  return { ...members, ...(known?.expose ? known.details : undefined), ...members };
}
