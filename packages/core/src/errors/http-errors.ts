import { HttpError, type HttpErrorOptions } from './http-error.js';

/** 400. The request is malformed; sending it again unchanged fails again. @see RFC 9110 §15.5.1 */
export class BadRequestError extends HttpError {
  constructor(message?: string, options?: HttpErrorOptions) {
    super(400, message, options);
  }
}

/** 401. The request lacks valid credentials. Pass `WWW-Authenticate` in `headers`. @see RFC 9110 §15.5.2 */
export class UnauthorizedError extends HttpError {
  constructor(message?: string, options?: HttpErrorOptions) {
    super(401, message, options);
  }
}

/** 403. The client is known and may not do this. @see RFC 9110 §15.5.4 */
export class ForbiddenError extends HttpError {
  constructor(message?: string, options?: HttpErrorOptions) {
    super(403, message, options);
  }
}

/** 404. No resource stands at this path, or none has this id. @see RFC 9110 §15.5.5 */
export class NotFoundError extends HttpError {
  constructor(message?: string, options?: HttpErrorOptions) {
    super(404, message, options);
  }
}

/** 405. The path is known, the method is not. Pass `Allow` in `headers`. @see RFC 9110 §15.5.6 */
export class MethodNotAllowedError extends HttpError {
  constructor(message?: string, options?: HttpErrorOptions) {
    super(405, message, options);
  }
}

/** 409. The request contradicts the current state of the resource. @see RFC 9110 §15.5.10 */
export class ConflictError extends HttpError {
  constructor(message?: string, options?: HttpErrorOptions) {
    super(409, message, options);
  }
}

/** 413. The body is larger than the server accepts. @see RFC 9110 §15.5.14 */
export class PayloadTooLargeError extends HttpError {
  constructor(message?: string, options?: HttpErrorOptions) {
    super(413, message, options);
  }
}

/** 415. The body's media type, charset or content encoding is not accepted. @see RFC 9110 §15.5.16 */
export class UnsupportedMediaTypeError extends HttpError {
  constructor(message?: string, options?: HttpErrorOptions) {
    super(415, message, options);
  }
}

/** 422. The body is well formed and its content breaks a rule. @see RFC 9110 §15.5.21 */
export class UnprocessableContentError extends HttpError {
  constructor(message?: string, options?: HttpErrorOptions) {
    super(422, message, options);
  }
}

/** 429. The client sent too many requests. Pass `Retry-After` in `headers`. @see RFC 6585 §4 */
export class TooManyRequestsError extends HttpError {
  constructor(message?: string, options?: HttpErrorOptions) {
    super(429, message, options);
  }
}

/** 500. The server failed; its message stays in the log. @see RFC 9110 §15.6.1 */
export class InternalServerError extends HttpError {
  constructor(message?: string, options?: HttpErrorOptions) {
    super(500, message, options);
  }
}

/** 503. The server cannot answer now. Pass `Retry-After` in `headers`. @see RFC 9110 §15.6.4 */
export class ServiceUnavailableError extends HttpError {
  constructor(message?: string, options?: HttpErrorOptions) {
    super(503, message, options);
  }
}
