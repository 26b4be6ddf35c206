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
    this.code = options.code ?? codeOf(status);
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

/** What a response shows of an error. */
export type ErrorFacts = Pick<
  HttpError,
  'status' | 'code' | 'message' | 'expose' | 'headers' | 'details'
>;

/**
 * Reads what a response shows of an {@link HttpError}, or of an error of another library that follows
 * the package http-errors: one with an integer `status` or `statusCode` from 400 to 499, a boolean
 * `expose` and, optionally, `headers`.
 *
 * @param error - Anything that was thrown.
 * @returns Undefined for any other value.
 */
export function readHttpError(error: unknown): ErrorFacts | undefined {
  if (isHttpError(error)) return error;
  if (!(error instanceof Error)) return undefined;
  const { status, statusCode, expose, headers, message } = error as ForeignError;
  const known = [status, statusCode].find(isClientStatus);
  if (known === undefined || typeof expose !== 'boolean') return undefined;
  return {
    status: known,
    code: codeOf(known),
    message: message || titleOf(known),
    expose,
    headers: isPlainRecord(headers) ? headers : {},
    details: {},
  };
}

/** An error of which nothing else is known. */
interface ForeignError extends Error {
  readonly status?: unknown;
  readonly statusCode?: unknown;
  readonly expose?: unknown;
  readonly headers?: unknown;
}

function isClientStatus(status: unknown): status is number {
  return Number.isInteger(status) && Number(status) >= 400 && Number(status) < 500;
}

/** Whether a value is a plain object of strings. */
function isPlainRecord(value: unknown): value is Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return false;
  return Object.values(value).every((member) => typeof member === 'string');
}

function codeOf(status: number): string {
  return titleOf(status).toUpperCase().replace(/\W+/g, '_');
}

/** The reason phrase of a status. */
export function titleOf(status: number): string {
  // node still has the phrase of RFC 4918.
  return status === 422 ? 'Unprocessable Content' : (STATUS_CODES[status] ?? 'Error');
}
