import { ConflictError, HttpError, ServiceUnavailableError } from '@fairlead/core';

/** The codes of a {@link SessionError}. */
export type SessionErrorCode =
  | 'SESSION_CLOSED'
  | 'SESSION_WITHOUT_USER'
  | 'INVALID_SESSION_VALUE'
  | 'SESSION_TOO_LARGE'
  | 'OUTSIDE_SESSION_PATH';

/** 500. The application used a session in a way that would lose data. */
export class SessionError extends HttpError {
  /**
   * @param code - The kind of mistake.
   * @param message - What failed, why, and the fix.
   * @param options - The `cause`, when another error reported the mistake.
   */
  constructor(code: SessionErrorCode, message: string, options: ErrorOptions = {}) {
    super(500, message, { ...options, code });
  }
}

/** Creates the error for a session that another request has changed or ended. */
export function conflict(reason: string): ConflictError {
  return new ConflictError(`Cannot save the session: ${reason}. Send the request again.`, {
    code: 'SESSION_CONFLICT',
  });
}

/** Creates the error for a store that fails or does not respond. */
export function unavailable(cause: unknown): ServiceUnavailableError {
  const message = 'Cannot use the session: its store failed. Check the store.';
  return new ServiceUnavailableError(message, { code: 'SESSION_STORE_UNAVAILABLE', cause });
}
