import { defineController, type GuardContext } from '@fairlead/controllers';
import { type AnyContext, createApp } from '@fairlead/core';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { jwtGuard, Public } from '../src/controllers.js';
import { type JwtAuth, signToken, type VerifiedToken } from '../src/index.js';

interface Claims {
  readonly sub: string;
}
declare const auth: JwtAuth<Claims>;
type Token = VerifiedToken<Claims>;

describe('jwtGuard()', () => {
  it('says that it sets jwt in ctx.state', () => {
    defineController('/', {
      guards: [jwtGuard(auth)],
      routes: ({ get }) => ({
        list: get('/', ({ state }) => expectTypeOf(state.jwt).toEqualTypeOf<Token>()),
        open: get('/open', { metadata: [Public()] }, ({ state }) =>
          expectTypeOf(state.jwt).toBeUnknown(),
        ),
      }),
    });
    defineController('/', {
      routes: ({ get }) => ({
        list: get('/', { guards: [jwtGuard(auth)] }, ({ state }) =>
          expectTypeOf(state.jwt).toEqualTypeOf<Token>(),
        ),
      }),
    });
  });

  it('can be called by another guard', () => {
    const guard = jwtGuard(auth);
    expectTypeOf((ctx: GuardContext) => guard(ctx)).returns.toEqualTypeOf<Promise<boolean>>();
  });
});

it('the token can be read where schemas have converted the inputs', () => {
  createApp().get(
    '/:id',
    { params: z.object({ id: z.coerce.number() }), query: z.object({ page: z.coerce.number() }) },
    (ctx) => expectTypeOf(auth.token(ctx)).toEqualTypeOf<Token>(),
  );
  expectTypeOf((ctx: AnyContext) => auth.verify(ctx)).returns.resolves.toEqualTypeOf<Token>();
});

describe('signToken()', () => {
  const options = { issuer: 'a', audience: 'a', secret: 'a secret' };

  it('takes claims that the schema accepts', () => {
    const claims = z.object({ iss: z.string(), tenant: z.string() });
    signToken({ sub: 'ada', tenant: 'a' }, { ...options, claims });
    // @ts-expect-error: The schema requires a tenant.
    signToken({ sub: 'ada' }, { ...options, claims });
    signToken({ sub: 'ada', roles: ['admin'] }, options);
  });

  it('takes neither the claims that it sets, nor a sub that is not a string', () => {
    // @ts-expect-error: expiresIn sets it.
    signToken({ exp: 5 }, options);
    // @ts-expect-error: An ID has to be converted.
    signToken({ sub: 5 }, options);
  });
});
