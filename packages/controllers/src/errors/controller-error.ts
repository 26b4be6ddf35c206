import { HttpError } from '@fairlead/core';

/** What a {@link ControllerError} carries beside its message. */
export interface ControllerErrorOptions {
  /** Stable upper-snake identifier; `CONTROLLER_ERROR` by default. */
  readonly code?: string;
  /** Status from 400 to 599; 500 by default. */
  readonly status?: number;
  /** Members that the error body gains when the error may be shown. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** What was thrown below. */
  readonly cause?: unknown;
}

/** The base of every error that this package throws; 500 unless a subclass says otherwise. */
export class ControllerError extends HttpError {
  /**
   * @param message - What was wrong, where, and what to do.
   * @param options - Status, code, details and cause.
   */
  constructor(message: string, options: ControllerErrorOptions = {}) {
    const { code = 'CONTROLLER_ERROR', status = 500, details = {} } = options;
    const cause = 'cause' in options ? { cause: options.cause } : {};
    super(status, message, { code, details, ...cause });
  }
}
