import { describe, expect, expectTypeOf, it, onTestFinished, vi } from 'vitest';
import * as httpErrors from './http-error.js';
import { HttpError, isHttpError } from './http-error.js';

/** Imports the module a second time, as if two versions were installed. */
async function importCopy(): Promise<typeof import('./http-error.js')> {
  const specifier = './http-error.js?copy';
  return import(/* @vite-ignore */ specifier);
}

describe('HttpError', () => {
  it('has the given members', () => {
    const cause = new Error('below');
    const options = {
      code: 'TEAPOT',
      expose: false,
      report: false,
      headers: { 'Retry-After': '1' },
      details: { issues: [] },
      cause,
    };
    expect(new HttpError(418, 'Short and stout.', options)).toMatchObject({
      name: 'HttpError',
      status: 418,
      message: 'Short and stout.',
      ...options,
    });
  });

  it.each([
    [404, 'NOT_FOUND', 'Not Found', true],
    [418, 'I_M_A_TEAPOT', "I'm a Teapot", true],
    [499, 'ERROR', 'Error', true],
    [500, 'INTERNAL_SERVER_ERROR', 'Internal Server Error', false],
    [505, 'HTTP_VERSION_NOT_SUPPORTED', 'HTTP Version Not Supported', false],
  ])('of %i has the code %s and the message %j by default', (status, code, message, expose) => {
    expect(new HttpError(status)).toMatchObject({
      status,
      code,
      message,
      expose,
      report: !expose,
      headers: {},
      details: {},
    });
  });

  it.each([
    [0, '0'],
    [1, '1'],
    [1.2, '2'],
    [new Date(0), 'Thu, 01 Jan 1970 00:00:00 GMT'],
  ])('with retryAfter %s has the header Retry-After: %s', (retryAfter, value) => {
    const headers = { 'X-Why': '1' };
    for (const Class of [httpErrors.TooManyRequestsError, httpErrors.ServiceUnavailableError]) {
      const error = new Class('Later.', { retryAfter, headers, code: 'LATER' });
      expect(error.headers).toEqual({ 'X-Why': '1', 'Retry-After': value });
      expect(error.code).toBe('LATER');
    }
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, new Date(Number.NaN)])(
    'rejects retryAfter %s',
    (retryAfter) => {
      expect(() => new httpErrors.ServiceUnavailableError('Later.', { retryAfter })).toThrow(
        new RangeError(
          `Invalid retryAfter: ${retryAfter}. Use a non-negative number of seconds, or a date.`,
        ),
      );
    },
  );

  it('with allow has the header Allow', () => {
    const error = new httpErrors.MethodNotAllowedError('No.', { allow: ['GET', 'PUT'] });
    expect(error.headers).toEqual({ Allow: 'GET, PUT' });
    expect(new httpErrors.MethodNotAllowedError().headers).toEqual({});
  });

  it.each([200, 399, 600, 404.5, Number.NaN, '404'])('rejects the status %j', (status) => {
    expect(() => new HttpError(status as number)).toThrow(
      new RangeError(`Invalid HttpError status: ${status}. Use an integer from 400 to 599.`),
    );
  });

  it('is named after its class', () => {
    class OutOfStockError extends HttpError {}
    expect(new OutOfStockError(409).name).toBe('OutOfStockError');
  });
});

describe('the family', () => {
  it.each([
    ['BadRequestError', httpErrors.BadRequestError, 400, 'BAD_REQUEST'],
    ['UnauthorizedError', httpErrors.UnauthorizedError, 401, 'UNAUTHORIZED'],
    ['ForbiddenError', httpErrors.ForbiddenError, 403, 'FORBIDDEN'],
    ['NotFoundError', httpErrors.NotFoundError, 404, 'NOT_FOUND'],
    ['MethodNotAllowedError', httpErrors.MethodNotAllowedError, 405, 'METHOD_NOT_ALLOWED'],
    ['ConflictError', httpErrors.ConflictError, 409, 'CONFLICT'],
    ['PayloadTooLargeError', httpErrors.PayloadTooLargeError, 413, 'PAYLOAD_TOO_LARGE'],
    [
      'UnsupportedMediaTypeError',
      httpErrors.UnsupportedMediaTypeError,
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'UnprocessableContentError',
      httpErrors.UnprocessableContentError,
      422,
      'UNPROCESSABLE_CONTENT',
    ],
    ['TooManyRequestsError', httpErrors.TooManyRequestsError, 429, 'TOO_MANY_REQUESTS'],
    ['InternalServerError', httpErrors.InternalServerError, 500, 'INTERNAL_SERVER_ERROR'],
    ['ServiceUnavailableError', httpErrors.ServiceUnavailableError, 503, 'SERVICE_UNAVAILABLE'],
  ])('%s', (name, ErrorClass, status, code) => {
    const error = new ErrorClass('Why.', { cause: 'below' });
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({ name, status, code, message: 'Why.', cause: 'below' });
  });
});

describe('the options', () => {
  const classes = Object.values(httpErrors).filter(
    (value): value is typeof httpErrors.NotFoundError =>
      typeof value === 'function' && value.prototype instanceof HttpError,
  );
  const withOptions = classes.filter(({ name }) => !/^Validation|^NextCalledTwice/.test(name));
  const optionError = (...messages: readonly string[]) =>
    expect.objectContaining({
      name: 'SetupError',
      code: 'INVALID_OPTION',
      message: messages.join('\n'),
    });

  it('of HttpError are checked, and reported together', () => {
    const options = { header: {}, code: '', expose: 'no', report: 1, details: [] };
    expect(() => Reflect.construct(HttpError, [404, 'Why.', options])).toThrow(
      optionError(
        "new HttpError() has no option 'header'. Did you mean 'headers'?",
        "code of new HttpError() must be a non-empty string: got ''.",
        "expose of new HttpError() must be true or false: got 'no'.",
        'report of new HttpError() must be true or false: got 1.',
        'details of new HttpError() must be an object: got [].',
      ),
    );
  });

  it.each(withOptions.map((type) => [type.name, type] as const))(
    'of %s are checked',
    (name, type) => {
      expect(() => Reflect.construct(type, ['Why.', { headrs: {} }])).toThrow(
        optionError(`new ${name}() has no option 'headrs'. Did you mean 'headers'?`),
      );
      expect(() => new type('Why.', { code: 'A', headers: { A: 'b' }, cause: 1 })).not.toThrow();
    },
  );

  it.each([
    ['TooManyRequestsError', httpErrors.TooManyRequestsError, 'retryafter', 'retryAfter'],
    ['ServiceUnavailableError', httpErrors.ServiceUnavailableError, 'retryafter', 'retryAfter'],
    ['MethodNotAllowedError', httpErrors.MethodNotAllowedError, 'alow', 'allow'],
  ])('of %s include its own', (name, type, wrong, right) => {
    expect(() => Reflect.construct(type, ['Why.', { [wrong]: 1 }])).toThrow(
      optionError(`new ${name}() has no option '${wrong}'. Did you mean '${right}'?`),
    );
  });

  it('of ValidationError are checked', () => {
    const call = () => Reflect.construct(httpErrors.ValidationError, [[], { stauts: 422 }]);
    expect(call).toThrow("new ValidationError() has no option 'stauts'. Did you mean 'status'?");
  });

  it('are not checked in production', () => {
    vi.stubEnv('NODE_ENV', 'production');
    onTestFinished(() => void vi.unstubAllEnvs());
    const options = { headrs: {}, code: 'GONE' };
    expect(Reflect.construct(HttpError, [410, 'Gone.', options])).toMatchObject({ code: 'GONE' });
  });

  it('of other subclasses are left to them', () => {
    class OutOfStockError extends HttpError {
      constructor(options: { readonly product: string; readonly code?: string }) {
        super(409, 'Out of stock.', options);
      }
    }
    expect(new OutOfStockError({ product: 'tea', code: 'OUT_OF_STOCK' }).code).toBe('OUT_OF_STOCK');
  });
});

describe('isHttpError', () => {
  it('recognizes errors of another copy of the package', async () => {
    const copy = await importCopy();
    const error: unknown = new copy.HttpError(404, 'From there.');
    expect(error).not.toBeInstanceOf(HttpError);
    expect(isHttpError(error)).toBe(true);
    expect(copy.isHttpError(new HttpError(400))).toBe(true);
  });

  it.each([
    undefined,
    null,
    'text',
    404,
    {},
    { status: 404 },
    Object.assign(new Error(), { status: 404 }),
  ])('rejects %j', (value) => {
    expect(isHttpError(value)).toBe(false);
  });

  it('narrows the type', () => {
    const error: unknown = new HttpError(404);
    expectTypeOf(isHttpError).guards.toEqualTypeOf<HttpError>();
    expect(isHttpError(error) && error.status).toBe(404);
  });
});
