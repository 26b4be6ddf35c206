import { type AnyContext, type Middleware, type Security } from '@fairlead/core';
import { describe, throwTogether } from '@fairlead/core/extend';
import { describeValue, named } from '@fairlead/options';
import { insufficientScope } from './challenge.js';
import { BEARER, JWT, verifiedToken } from './verified-token.js';

/**
 * Creates middleware that lets requests pass whose token has all of the scopes. Add it after the middleware
 * that verifies the token.
 *
 * The middleware throws a ForbiddenError, 403 `INSUFFICIENT_SCOPE`, when a scope is missing, and an
 * InternalServerError, 500 `TOKEN_NOT_VERIFIED`, when no token was verified.
 *
 * @param scopes - At least one, such as `users:write`.
 * @throws {SetupError} `INVALID_OPTION`, when an argument is not a scope.
 * @see RFC 6750 §3.1; RFC 6749 §3.3
 */
export function requireScope(...scopes: readonly [string, ...string[]]): Middleware {
  const check = createScopeCheck('requireScope()', scopes);
  const middleware: Middleware = named('requireScope', (ctx, next) => {
    check(ctx);
    return next();
  });
  return describe(middleware, {
    role: 'middleware',
    guard: '@Scopes()',
    security: { ...BEARER, scopes },
    after: JWT,
    warning: () => explainCommas('requireScope()', scopes),
  });
}

/**
 * Creates middleware that lets requests pass whose token has one of the roles. Add it after the middleware
 * that verifies the token.
 *
 * The middleware throws a ForbiddenError, 403 `INSUFFICIENT_SCOPE`, without a role, and an
 * InternalServerError, 500 `TOKEN_NOT_VERIFIED`, when no token was verified.
 *
 * @param roles - At least one, such as `admin`.
 * @throws {SetupError} `INVALID_OPTION`, when an argument is not a role.
 */
export function requireRole(...roles: readonly [string, ...string[]]): Middleware {
  const check = createRoleCheck('requireRole()', roles);
  const middleware: Middleware = named('requireRole', (ctx, next) => {
    check(ctx);
    return next();
  });
  return describe(middleware, {
    role: 'middleware',
    guard: '@Roles()',
    security: roleSecurity(roles),
    after: JWT,
  });
}

describe(requireScope, { role: 'factory', name: "requireScope('users:write')" });
describe(requireRole, { role: 'factory', name: "requireRole('admin')" });

/** Describes that one of the roles is needed. */
export function roleSecurity(roles: readonly string[]): Security {
  return { anyOf: roles.map((role) => ({ ...BEARER, scopes: [role] })) };
}

/** Creates a function that throws unless the token of a request has all of the scopes. */
export function createScopeCheck(
  call: string,
  scopes: readonly string[],
): (ctx: AnyContext) => void {
  assertNames(call, scopes);
  const message = `The token needs the scope ${scopes.join(' ')}.`;
  return (ctx) => {
    const token = verifiedToken(ctx);
    if (scopes.every((scope) => token.scopes.includes(scope))) return;
    throw insufficientScope(token.realm, message, scopes);
  };
}

/** Creates a function that throws unless the token of a request has one of the roles. */
export function createRoleCheck(call: string, roles: readonly string[]): (ctx: AnyContext) => void {
  assertNames(call, roles);
  const message = `The token needs the role ${roles.join(' or ')}.`;
  return (ctx) => {
    const token = verifiedToken(ctx);
    if (roles.some((role) => token.roles.includes(role))) return;
    throw insufficientScope(token.realm, message);
  };
}

/** Warns of scopes that are probably several in one text. A comma is valid in a scope. */
function explainCommas(call: string, scopes: readonly string[]): string | undefined {
  const joined = scopes.find((scope) => scope.includes(','));
  if (joined === undefined) return undefined;
  const parts = joined.split(',').filter(Boolean).map(describeValue).join(', ');
  return `${call} needs a scope that is called '${joined}'. Pass each scope as an argument: ${parts}. If it is one scope, pass the middleware to intended().`;
}

/** @throws {SetupError} `INVALID_OPTION` */
function assertNames(call: string, names: readonly unknown[]): void {
  const invalid = names.filter((name) => typeof name !== 'string' || !NAME.test(name));
  const problems = invalid.map((name) => {
    const problem = `${call} cannot use ${describeValue(name)}.`;
    const parts = typeof name === 'string' ? name.split(/[\s,]+/).filter(Boolean) : [];
    return parts.length > 1 && parts.every((part) => NAME.test(part))
      ? `${problem} Pass each one as an argument: ${parts.map(describeValue).join(', ')}.`
      : `${problem} Use visible ASCII without spaces, quotes or backslashes.`;
  });
  if (names.length === 0) problems.push(`${call} needs at least one argument, such as 'admin'.`);
  throwTogether(problems);
}

/** RFC 6749 §3.3: scope-token */
const NAME = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
