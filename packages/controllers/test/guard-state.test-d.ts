import type { Context } from '@fairlead/core';
import { token } from '@fairlead/di';
import { expectTypeOf, it } from 'vitest';
import {
  type CanActivate,
  createRouteMetadata,
  defineController,
  type Guard,
  type GuardContext,
  type GuardFn,
  UseGuard,
} from '../src/index.js';

interface User {
  readonly name: string;
}

const hasTenant: GuardFn<{ tenant: string }> = (ctx) => {
  ctx.state.tenant = ctx.host;
  return ctx.state.tenant.length > 0;
};
declare function hasQuota<Quota>(quota: Quota): GuardFn<{ quota: Quota }>;
class SignedIn implements CanActivate<{ user: User }> {
  canActivate(ctx: GuardContext<{ user: User }>) {
    ctx.state.user = { name: 'Ada' };
    return true;
  }
}
const RoleGuard = token<CanActivate<{ role: 'admin' | 'guest' }>>('RoleGuard');
const PlanGuard = token<GuardFn<{ plan: number }>>('PlanGuard');
const Open = createRouteMetadata<boolean>('Open', { guard: SignedIn, exempts: (open) => open });
const Label = createRouteMetadata<string>('Label');

it('ctx.state of a value has what the guards of the controller and of the route set', () => {
  defineController('/', {
    guards: [SignedIn, hasQuota(7), RoleGuard, PlanGuard, 'untyped', (ctx) => ctx.path === '/'],
    routes: ({ get, on }) => ({
      plain: get('/', ({ state }) => {
        expectTypeOf(state.user).toEqualTypeOf<User>();
        expectTypeOf(state.quota).toEqualTypeOf<number>();
        expectTypeOf(state.role).toEqualTypeOf<'admin' | 'guest'>();
        expectTypeOf(state.plan).toEqualTypeOf<number>();
        expectTypeOf(state.tenant).toBeUnknown();
      }),
      both: get('/both', { guards: [hasTenant], metadata: [Label('both')] }, ({ state }) => {
        expectTypeOf(state.user).toEqualTypeOf<User>();
        expectTypeOf(state.tenant).toEqualTypeOf<string>();
      }),
      several: on(['PUT'], '/several', { guards: [hasTenant, hasQuota('x')] }, ({ state }) => {
        expectTypeOf(state.tenant).toEqualTypeOf<string>();
        expectTypeOf(state.plan).toEqualTypeOf<number>();
      }),
    }),
  });
  defineController('/', {
    routes: ({ get }) => ({
      none: get('/', ({ state }) => expectTypeOf(state.user).toBeUnknown()),
    }),
  });
});

it('ctx.state of a route that metadata may exempt lacks what guards set', () => {
  defineController('/', {
    guards: [SignedIn],
    routes: ({ get }) => ({
      open: get('/', { guards: [hasTenant], metadata: [Label('x'), Open(true)] }, ({ state }) => {
        expectTypeOf(state.user).toBeUnknown();
        expectTypeOf(state.tenant).toBeUnknown();
      }),
    }),
  });
});

it('a guard that sets state is accepted where any guard is', () => {
  const guards: readonly Guard[] = [SignedIn, hasTenant, hasQuota(1), RoleGuard, PlanGuard];
  const typed: Guard<{ user: User }> = SignedIn;
  UseGuard(...guards, typed, hasTenant, (ctx) => {
    expectTypeOf(ctx).toEqualTypeOf<Context>();
    return true;
  });
  const signIn: GuardFn<{ user: User }> = (ctx) => {
    // @ts-expect-error a user has a name
    ctx.state.user = {};
    return true;
  };
  expectTypeOf(signIn).toExtend<GuardFn>();
});
