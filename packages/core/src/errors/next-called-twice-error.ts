import { HttpError } from './http-error.js';

/** One middleware called `next()` more than once for one request: a bug, answered with 500. */
export class NextCalledTwiceError extends HttpError {
  /** @param middleware - Name of the middleware that called twice. */
  constructor(middleware: string) {
    super(
      500,
      `The middleware '${middleware}' called next() more than once for one request. Call it once at most, and await it.`,
      { code: 'NEXT_CALLED_TWICE' },
    );
  }
}
