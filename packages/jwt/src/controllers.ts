import {
  createDecoratorFactory,
  createRouteMetadata,
  type Exemption,
  type GuardFn,
  UseGuard,
} from '@fairlead/controllers';
import { type AnyContext, type Security, SetupError } from '@fairlead/core';
import { describe, descriptionOf } from '@fairlead/core/extend';
import { describeValue, named, publicReason } from '@fairlead/options';
import type { JwtAuth } from './jwt-auth.js';
import { createRoleCheck, createScopeCheck, roleSecurity } from './requirements.js';
import { BEARER, exempt, JWT, SENDS, type VerifiedToken } from './verified-token.js';

const [, GUARD] = JWT;

/** The reason, or true without one. */
const PUBLIC = createRouteMetadata<string | true>('Public', {
  describedGuard: GUARD,
  exempts: (reason) => reason,
});

/**
 * Opens the routes of a class, or one route, to requests without a token. {@link jwtGuard}, and {@link Roles}
 * and {@link Scopes} of the class, let them pass. Subclasses and overrides do not inherit it. On the method or
 * class that has `@Roles()` or `@Scopes()` itself, or below a base class that demands a token, it is an error at
 * startup. The startup warns about routes without `jwtGuard()`.
 *
 * @param reason - Why everyone may call them. It becomes the option `public` of the routes.
 * @throws {SetupError} `INVALID_OPTION`, when the reason is empty or no string.
 */
export const Public: (reason?: string) => ClassDecorator & MethodDecorator & Exemption =
  createDecoratorFactory('@Public()', (reason) => {
    if (reason === undefined) return PUBLIC(true);
    if (publicReason.accepts(reason)) return PUBLIC(reason);
    const text = `@Public() cannot use ${describeValue(reason)} as the reason. Use ${publicReason.description}.`;
    throw new SetupError('INVALID_OPTION', text);
  });

/**
 * Creates a guard that verifies the token of a request and sets `ctx.state.jwt`. It throws the same errors as
 * {@link JwtAuth.verify}. It does nothing for routes with `@Public()`, where `ctx.state.jwt` is undefined.
 *
 * @param auth - From `createJwtAuth()`.
 */
export function jwtGuard<Claims>(
  auth: JwtAuth<Claims>,
): ((ctx: AnyContext) => Promise<boolean>) & GuardFn<{ jwt: VerifiedToken<Claims> }> {
  const guard = async function jwt(ctx: AnyContext) {
    if (PUBLIC.get(ctx) !== undefined) exempt(ctx);
    else await auth.verify(ctx);
    return true;
  };
  const { audiences } = descriptionOf(auth.middleware) ?? {};
  return describe(guard, {
    name: GUARD,
    ...(audiences && { audiences }),
    role: 'guard',
    middleware: 'auth.middleware',
    security: BEARER,
    sends: SENDS,
  });
}

describe(jwtGuard, { role: 'factory', name: GUARD });

/**
 * Guards the routes of a class, or one route: the token needs one of the roles. Several `@Roles()` of a route,
 * such as those of its class, all apply. List {@link jwtGuard} before it.
 *
 * Requests receive 403 `INSUFFICIENT_SCOPE` without a role, and 500 `TOKEN_NOT_VERIFIED` when no token was
 * verified.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an argument is not a role.
 */
export const Roles: (...roles: readonly [string, ...string[]]) => ClassDecorator & MethodDecorator =
  createDecoratorFactory("@Roles('admin')", function createRoles(...roles) {
    const check = createRoleCheck('@Roles()', roles);
    return restrict('@Roles()', 'hasRole', check, roleSecurity(roles));
  });

/**
 * Guards the routes of a class, or one route: the token needs all of the scopes. List {@link jwtGuard} before
 * it. Requests receive the responses of {@link Roles}.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an argument is not a scope.
 */
export const Scopes: (
  ...scopes: readonly [string, ...string[]]
) => ClassDecorator & MethodDecorator = createDecoratorFactory(
  "@Scopes('users:write')",
  function createScopes(...scopes) {
    const check = createScopeCheck('@Scopes()', scopes);
    return restrict('@Scopes()', 'hasScope', check, { ...BEARER, scopes });
  },
);

/** @param check - Throws unless the token of a request suffices. */
function restrict(
  decorator: string,
  name: string,
  check: (ctx: AnyContext) => void,
  security: Security,
) {
  const guard: GuardFn = named(name, (ctx) => {
    if (PUBLIC.get(ctx) === undefined) check(ctx);
    return true;
  });
  return UseGuard(describe(guard, { name: decorator, role: 'guard', security, after: JWT }));
}
