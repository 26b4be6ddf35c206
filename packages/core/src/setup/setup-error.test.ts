import { expect, it } from 'vitest';
import { InvalidMiddlewareError } from '../router/invalid-argument.js';
import {
  InvalidPatternError,
  ListenError,
  RouteConflictError,
  SealedError,
  SetupError,
} from './setup-error.js';

it.each([
  [
    new RouteConflictError('GET', '/a/:b', '/a/:c'),
    'RouteConflictError',
    'ROUTE_CONFLICT',
    'GET /a/:c matches the same paths as GET /a/:b, which is already registered. Remove one of them or change its path.',
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
    'app.use() received null. Pass functions (ctx, next).',
  ],
  [
    new SealedError('app.use()'),
    'SealedError',
    'APPLICATION_SEALED',
    'app.use() was called after the application was sealed. Register middleware, routes and plugins before you call listen(), seal(), fetch() or request().',
  ],
  [
    new ListenError(80, undefined, Object.assign(new Error('bind'), { code: 'EACCES' })),
    'ListenError',
    'LISTEN_FAILED',
    'Cannot listen on port 80: permission denied. Use a port above 1023, or grant the process permission to bind it.',
  ],
])('%s names the problem and the fix', (error, name, code, message) => {
  expect(error).toBeInstanceOf(SetupError);
  expect(error).toMatchObject({ name, code, message });
});
