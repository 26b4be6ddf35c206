import { STATUS_CODES } from '../node-http.js';

/** Marks every HttpError, so that copies of this package recognise each other's errors. */
const BRAND = Symbol.for('fairlead.HttpError');

/** What an {@link HttpError} carries beside its status and message. */
export interface HttpErrorOptions extends ErrorOptions {
  /** Stable upper-snake identifier; the status's reason phrase (`NOT_FOUND`) by default. */
  readonly code?: string;
  /** Whether a client may read the message and the details; by default, status < 500. */
  readonly expose?: boolean;
  /** Response headers that belong to the error, such as `Allow` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Members that the error body gains, such as `issues`; written only when exposed. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * An error that knows its HTTP status. Throw it anywhere below `errorHandler`.
 *
 * @see RFC 9110 §15; RFC 9457 for the body that `errorHandler` makes of it.
 */
export class HttpError extends Error {
  /** Integer from 400 to 599. */
  readonly status: number;
  /** Stable upper-snake identifier. */
  readonly code: string;
  /** Whether a client may read the message and the details. */
  readonly expose: boolean;
  /** Response headers that belong to the error. */
  readonly headers: Readonly<Record<string, string>>;
  /** Members that the error body gains, when it is exposed. */
  readonly details: Readonly<Record<string, unknown>>;

  /**
   * @param status - Integer from 400 to 599.
   * @param message - What was wrong and what to do; the status's reason phrase by default.
   * @param options - Code, exposure, headers, details and cause.
   * @throws {RangeError} When `status` is not an error status.
   */
  constructor(status: number, message?: string, options: HttpErrorOptions = {}) {
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw new RangeError(`An HttpError takes a status from 400 to 599, not ${String(status)}.`);
    }
    super(message ?? titleOf(status), options);
    this.name = new.target.name;
    this.status = status;
    this.code = options.code ?? titleOf(status).toUpperCase().replace(/\W+/g, '_');
    this.expose = options.expose ?? status < 500;
    this.headers = options.headers ?? {};
    this.details = options.details ?? {};
  }

  get [BRAND](): true {
    return true;
  }
}

/**
 * Tells whether a thrown value is an {@link HttpError}, of this copy of the package or another.
 *
 * @param value - Anything that was thrown.
 */
export function isHttpError(value: unknown): value is HttpError {
  return value instanceof Error && BRAND in value;
}

/** The reason phrase of a status. */
export function titleOf(status: number): string {
  // node still has the phrase of RFC 4918.
  return status === 422 ? 'Unprocessable Content' : (STATUS_CODES[status] ?? 'Error');
}
