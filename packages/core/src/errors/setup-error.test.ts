import { expect, it } from 'vitest';
import { ListenError } from './listen-error.js';
import {
  InvalidMiddlewareError,
  InvalidPatternError,
  RouteConflictError,
  SealedError,
  SetupError,
} from './setup-error.js';

it.each([
  [
    new RouteConflictError('GET', '/a/:b', '/a/:c'),
    'RouteConflictError',
    'ROUTE_CONFLICT',
    'GET /a/:c matches the same paths as GET /a/:b, which is registered already. Remove one of the two or change its path.',
  ],
  [
    new InvalidPatternError('/:', 'why.'),
    'InvalidPatternError',
    'INVALID_PATTERN',
    "The pattern '/:' is not valid: why.",
  ],
  [
    new InvalidMiddlewareError('app.use()', null),
    'InvalidMiddlewareError',
    'INVALID_MIDDLEWARE',
    'app.use() takes functions (ctx, next), and was given null.',
  ],
  [
    new SealedError('app.use()'),
    'SealedError',
    'APPLICATION_SEALED',
    'app.use() was called after the application began to answer requests. Register middleware, routes and plugins before listen(), fetch() and request().',
  ],
  [
    new ListenError(80, undefined, Object.assign(new Error('bind'), { code: 'EACCES' })),
    'ListenError',
    'LISTEN_FAILED',
    'Cannot listen on port 80: this user may not. Choose a port from 1024 up.',
  ],
])('%s says what is wrong and what to do', (error, name, code, message) => {
  expect(error).toBeInstanceOf(SetupError);
  expect(error).toMatchObject({ name, code, message });
});
