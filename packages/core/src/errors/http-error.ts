import {
  anything,
  boolean,
  isPlainObject,
  type Kinds,
  nonEmptyString,
  object,
} from '@fairlead/options';
import { describe, isDescribedError } from '../annotations/description.js';
import { STATUS_CODES } from '../node-http.js';
import { assertOptions } from '../setup/options.js';

/** Options of {@link HttpError}. */
export interface HttpErrorOptions extends ErrorOptions {
  /** Stable upper-snake identifier; the reason phrase of the status, such as `NOT_FOUND`, by default. */
  readonly code?: string;
  /** Whether clients receive the message and the details; true below status 500 by default. */
  readonly expose?: boolean;
  /** Whether `errorHandler` passes the error to `onError`; true by default unless exposed. */
  readonly report?: boolean;
  /** Response headers, such as `Allow` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Additional members of the error body, such as `issues`; sent only when exposed. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Options of {@link TooManyRequestsError} and {@link ServiceUnavailableError}. */
export interface RetryAfterOptions extends HttpErrorOptions {
  /**
   * Sets `Retry-After`: seconds, rounded up, or a date.
   *
   * @see RFC 9110 §10.2.3
   */
  readonly retryAfter?: number | Date;
}

/** Options of {@link MethodNotAllowedError}. */
export interface MethodNotAllowedOptions extends HttpErrorOptions {
  /**
   * Sets `Allow`: the methods that the resource supports.
   *
   * @see RFC 9110 §10.2.1
   */
  readonly allow?: readonly string[];
}

/**
 * An error with an HTTP status. `errorHandler` turns it into a response.
 *
 * @see RFC 9110 §15; RFC 9457 for the body of the response.
 */
export class HttpError extends Error {
  /** Integer from 400 to 599. */
  readonly status: number;
  /** Stable upper-snake identifier. */
  readonly code: string;
  /** Whether clients receive the message and the details. */
  readonly expose: boolean;
  /** Whether `errorHandler` passes the error to `onError`. */
  readonly report: boolean;
  /** Response headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Additional members of the error body; sent only when exposed. */
  readonly details: Readonly<Record<string, unknown>>;

  /**
   * @param status - Integer from 400 to 599.
   * @param message - The problem, and how to fix it; the reason phrase of the status by default.
   * @param options - Code, exposure, headers, details and cause.
   * @throws {RangeError} When `status` is out of range.
   * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid. Checked unless `NODE_ENV` is
   *   `production`. The options of your own subclasses are not checked.
   */
  constructor(status: number, message?: string, options?: HttpErrorOptions) {
    if (options !== undefined && process.env.NODE_ENV !== 'production') {
      const kinds = OPTIONS.get(new.target);
      if (kinds !== undefined) assertOptions<object>(`new ${new.target.name}()`, options, kinds);
    }
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw new RangeError(
        `Invalid HttpError status: ${String(status)}. Use an integer from 400 to 599.`,
      );
    }
    super(message ?? titleOf(status), options);
    this.name = new.target.name;
    this.status = status;
    this.code = options?.code ?? codeOf(status);
    this.expose = options?.expose ?? status < 500;
    this.report = options?.report ?? !this.expose;
    this.headers = options?.headers ?? {};
    this.details = options?.details ?? {};
  }

  static {
    describe(HttpError.prototype, { role: 'error' });
  }
}

/**
 * Whether a value is an {@link HttpError} of this or another copy of the package, or an error that is described
 * as one.
 *
 * @param value - Any thrown value.
 */
export function isHttpError(value: unknown): value is HttpError {
  return value instanceof HttpError || isDescribedError(value);
}

/** The members of an error that a response depends on. */
export type HttpErrorFields = Pick<
  HttpError,
  'status' | 'code' | 'message' | 'expose' | 'report' | 'headers' | 'details'
>;

/** Whether `onError` receives an error. */
export function isReported(error: unknown): boolean {
  return readHttpError(error)?.report ?? true;
}

/**
 * Returns the response fields of an {@link HttpError}, or of an error with the shape of the npm package
 * http-errors: an integer `status` or `statusCode` from 400 to 499, a boolean `expose` and, optionally,
 * `headers`.
 *
 * @param error - Any thrown value.
 * @returns Undefined for other values.
 */
export function readHttpError(error: unknown): HttpErrorFields | undefined {
  if (isHttpError(error)) return error;
  if (!(error instanceof Error)) return undefined;
  const { status, statusCode, expose, headers }: { readonly [name: string]: unknown } =
    Object(error);
  const known = [status, statusCode].find(isClientStatus);
  if (known === undefined || typeof expose !== 'boolean') return undefined;
  return {
    status: known,
    code: codeOf(known),
    message: error.message || titleOf(known),
    expose,
    report: !expose,
    headers: isPlainRecord(headers) ? headers : {},
    details: {},
  };
}

function isClientStatus(status: unknown): status is number {
  return Number.isInteger(status) && Number(status) >= 400 && Number(status) < 500;
}

/** Whether a value is a plain object whose values are strings. */
function isPlainRecord(value: unknown): value is Readonly<Record<string, string>> {
  return isPlainObject(value) && Object.values(value).every((member) => typeof member === 'string');
}

function codeOf(status: number): string {
  return titleOf(status).toUpperCase().replace(/\W+/g, '_');
}

/** Returns the reason phrase of a status. */
export function titleOf(status: number): string {
  // Node.js uses the older phrase of RFC 4918.
  return status === 422 ? 'Unprocessable Content' : (STATUS_CODES[status] ?? 'Error');
}

/** Creates the base of a class of errors with one status. */
function withStatus(
  status: number,
): new (
  message?: string,
  options?: HttpErrorOptions,
) => HttpError {
  return class extends HttpError {
    constructor(message?: string, options?: HttpErrorOptions) {
      super(status, message, options);
    }
  };
}

/** Adds a header to the options of an error, unless its value is undefined. */
function withHeader(
  options: HttpErrorOptions | undefined,
  name: string,
  value: string | undefined,
): HttpErrorOptions | undefined {
  if (value === undefined) return options;
  return { ...options, headers: { ...options?.headers, [name]: value } };
}

function formatRetryAfter(retryAfter: number | Date | undefined): string | undefined {
  if (retryAfter === undefined) return undefined;
  const value = Number(retryAfter);
  if (!Number.isFinite(value) || value < 0) {
    throw new RangeError(
      `Invalid retryAfter: ${String(retryAfter)}. Use a non-negative number of seconds, or a date.`,
    );
  }
  return typeof retryAfter === 'number' ? String(Math.ceil(value)) : retryAfter.toUTCString();
}

/** 400. The request is malformed. @see RFC 9110 §15.5.1 */
export class BadRequestError extends withStatus(400) {}

/** 401. The request lacks valid credentials. Pass `WWW-Authenticate` in `headers`. @see RFC 9110 §15.5.2 */
export class UnauthorizedError extends withStatus(401) {}

/** 403. The client is not allowed to do this. @see RFC 9110 §15.5.4 */
export class ForbiddenError extends withStatus(403) {}

/** 404. No resource exists with this path or ID. @see RFC 9110 §15.5.5 */
export class NotFoundError extends withStatus(404) {}

/** Creates the error for a path without a route. */
export function unknownPath(path: string): NotFoundError {
  return new NotFoundError(`No route matches ${path}.`);
}

/** 405. The resource does not support the method. Pass the supported methods as `allow`. @see RFC 9110 §15.5.6 */
export class MethodNotAllowedError extends HttpError {
  constructor(message?: string, options?: MethodNotAllowedOptions) {
    super(405, message, withHeader(options, 'Allow', options?.allow?.join(', ')));
  }
}

/** 409. The request conflicts with the current state of the resource. @see RFC 9110 §15.5.10 */
export class ConflictError extends withStatus(409) {}

/** 412. A condition of the request's headers is false. @see RFC 9110 §15.5.13 */
export class PreconditionFailedError extends withStatus(412) {}

/** 413. The body exceeds a limit. @see RFC 9110 §15.5.14 */
export class PayloadTooLargeError extends withStatus(413) {}

/** 415. The body's media type, charset or content encoding is not supported. @see RFC 9110 §15.5.16 */
export class UnsupportedMediaTypeError extends withStatus(415) {}

/** Status of requests that schemas reject. */
export type ValidationStatus = 400 | 422;

/** Options of {@link ValidationError}. */
export interface ValidationErrorOptions extends HttpErrorOptions {
  /** 400 by default. */
  readonly status?: ValidationStatus;
}

/** Maximum number of issues in a response, so that a small request cannot cause a huge response. */
const MAX_SENT_ISSUES = 100;

/** 400 or 422. Schemas rejected parts of the request. The error body gains `issues`, the first 100. */
export class ValidationError extends HttpError {
  /**
   * All issues of the request, in the order of params, query, headers and body, or of the parameters of a
   * controller's method.
   */
  readonly issues: readonly ValidationIssue[];

  /** @param issues - At least one. */
  constructor(
    issues: readonly ValidationIssue[],
    { status = 400, ...options }: ValidationErrorOptions = {},
  ) {
    const sources = [...new Set(issues.map(({ source }) => SOURCES[source] ?? source))];
    const [source = 'request'] = sources.length > 1 ? [] : sources;
    const sent = issues.slice(0, MAX_SENT_ISSUES);
    const extent =
      sent.length < issues.length ? `, the first ${sent.length} of ${issues.length}` : '';
    super(status, `The ${source} is not valid. See issues${extent}.`, {
      code: 'VALIDATION_FAILED',
      ...options,
      details: { ...options.details, issues: sent },
    });
    this.issues = issues;
  }
}

/** The parts of a request in messages. */
const SOURCES: Readonly<Record<string, string>> = {
  param: 'path',
  header: 'head',
  custom: 'request',
};

/** 422. The body is well formed but invalid. @see RFC 9110 §15.5.21 */
export class UnprocessableContentError extends withStatus(422) {}

/** 429. The client sent too many requests. @see RFC 6585 §4 */
export class TooManyRequestsError extends HttpError {
  /** @throws {RangeError} When `retryAfter` is negative, infinite or an invalid date. */
  constructor(message?: string, options?: RetryAfterOptions) {
    super(429, message, withHeader(options, 'Retry-After', formatRetryAfter(options?.retryAfter)));
  }
}

/** 500. The server failed. Clients do not receive the message. @see RFC 9110 §15.6.1 */
export class InternalServerError extends withStatus(500) {}

/** 503. The server cannot handle the request now. @see RFC 9110 §15.6.4 */
export class ServiceUnavailableError extends HttpError {
  /** @throws {RangeError} When `retryAfter` is negative, infinite or an invalid date. */
  constructor(message?: string, options?: RetryAfterOptions) {
    super(503, message, withHeader(options, 'Retry-After', formatRetryAfter(options?.retryAfter)));
  }
}

/** 500. A middleware called `next()` more than once for one request. */
export class NextCalledTwiceError extends HttpError {
  /** @param middleware - Name of the middleware. */
  constructor(middleware: string) {
    super(
      500,
      `The middleware '${middleware}' called next() more than once for one request. Call it at most once, and await it.`,
      { code: 'NEXT_CALLED_TWICE' },
    );
  }
}

const HTTP_ERROR_OPTIONS: Kinds<HttpErrorOptions> = {
  code: nonEmptyString,
  expose: boolean,
  report: boolean,
  headers: object,
  details: object,
  cause: anything,
};

/** The additional options of the classes of this module. Classes outside it may have any options. */
const OPTIONS = new Map<unknown, Kinds<object>>(
  (
    [
      [HttpError],
      [BadRequestError],
      [UnauthorizedError],
      [ForbiddenError],
      [NotFoundError],
      [MethodNotAllowedError, 'allow'],
      [ConflictError],
      [PreconditionFailedError],
      [PayloadTooLargeError],
      [UnsupportedMediaTypeError],
      [ValidationError, 'status'],
      [UnprocessableContentError],
      [TooManyRequestsError, 'retryAfter'],
      [InternalServerError],
      [ServiceUnavailableError, 'retryAfter'],
    ] as const
  ).map(([type, own]) => [type, { ...HTTP_ERROR_OPTIONS, ...(own && { [own]: anything }) }]),
);

/** One problem of a request: a value that is missing, or that a schema rejected. */
export interface ValidationIssue {
  /** The part of the request with the value. */
  readonly source: string;
  /** The source, the parameter's name if it has one, then keys within the value. */
  readonly path: readonly (string | number)[];
  /** `is required`, or the validator's message. */
  readonly message: string;
}
