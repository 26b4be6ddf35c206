import { intended, type Middleware } from '@fairlead/core';
import { describe as describeFunction } from '@fairlead/core/extend';
import { createContainer } from '@fairlead/di';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  Controller,
  Get,
  type Guard,
  type GuardFn,
  UseGuard,
  UseMiddleware,
} from '../src/index.js';
import { serve } from './support/serve.js';

afterEach(() => vi.restoreAllMocks());

it('the warning of a guard appears once, unless the guard is intended', async () => {
  const doubtful = (name: string): GuardFn =>
    describeFunction(() => true, { role: 'guard', warning: () => `${name} is doubtful.` });
  const [first, second] = [doubtful('first'), intended(doubtful('second'))];
  const [third, fourth] = [doubtful('third'), intended(doubtful('fourth'))];
  const container = createContainer()
    .register('third', { useValue: third })
    .register('fourth', { useValue: fourth });
  @Controller()
  @UseGuard(first, second, 'third', 'fourth')
  class Files {
    @Get()
    list() {}

    @Get('/:id')
    read() {}
  }
  const warn = vi.fn<(message: string) => void>();
  await serve({ controllers: [Files], container, logger: { debug() {}, warn } });
  expect(warn.mock.calls.flat()).toEqual([
    expect.stringContaining('first is doubtful.'),
    expect.stringContaining('third is doubtful.'),
  ]);
});

describe('a guard that reads what another function provides', () => {
  const provider = <Type extends GuardFn | Middleware>(verify: Type): Type =>
    describeFunction(verify, { role: 'middleware', name: 'sign-in' });
  const signIn = provider<GuardFn>(() => true);
  const signInMiddleware = provider<Middleware>((_ctx, next) => next());
  const createAdmin = (): GuardFn =>
    describeFunction(() => true, { role: 'guard', name: 'admin', after: ['sign-in'] });
  const admin = createAdmin();
  const log = describeFunction<Middleware>((_ctx, next) => next(), { role: 'middleware' });
  const unknown: Middleware = (_ctx, next) => next();
  const warning = expect.stringMatching(
    /^\[controllers\] @?admin(?:\(\))? on Files\.read reads what sign-in provides, but nothing before it provides that\.\n {2}At: .*\n {2}Fix: list sign-in above it\. /,
  );

  /** Returns the warnings of a controller with the guards, and with middleware before it and of its route. */
  async function warningsWith(
    guards: readonly [Guard, ...Guard[]],
    before: readonly Middleware[] = [],
    own: readonly [Middleware, ...Middleware[]] = [log],
  ): Promise<readonly unknown[]> {
    @Controller()
    class Files {
      @Get()
      @UseMiddleware(...own)
      @UseGuard(...guards)
      read() {}
    }
    const warn = vi.fn<(message: string) => void>();
    await serve({ controllers: [Files], logger: { debug() {}, warn } }, before);
    return warn.mock.calls.flat();
  }

  it.each([
    ['nothing does', [admin] as const, []],
    ['a guard after it does', [admin, signIn] as const, []],
    ['a guard after it does, behind unknown middleware', [admin, signIn] as const, [unknown]],
  ])('causes a warning if %s', async (_case, guards, before) => {
    expect(await warningsWith(guards, before)).toEqual([warning]);
  });

  it('tells how to silence it: mark the guard', async () => {
    expect(await warningsWith([admin])).toEqual([
      expect.stringMatching(
        /If that is not necessary, pass admin to intended\(\) of @fairlead\/core\.$/,
      ),
    ]);
  });

  it('names a guard in `after` by its class or function', async () => {
    class SignedIn {
      static readonly inject = [];
      canActivate() {
        return true;
      }
    }
    const reading = describeFunction<GuardFn>(
      function reads() {
        return true;
      },
      { role: 'guard', after: 'SignedIn' },
    );
    const told = expect.stringContaining('reads() on Files.read reads what SignedIn provides');
    expect(await warningsWith([reading, SignedIn], [unknown])).toEqual([told]);
    expect(await warningsWith([SignedIn, reading])).toEqual([]);
    expect(await warningsWith([describeFunction(SignedIn, { role: 'guard' }), reading])).toEqual(
      [],
    );
  });

  it.each<[string, Parameters<typeof warningsWith>]>([
    ['a guard before it does', [[signIn, admin]]],
    ['middleware of the application does', [[admin], [signInMiddleware]]],
    ['middleware of the route does', [[admin], [], [signInMiddleware]]],
    ['unknown middleware may', [[admin], [unknown]]],
    ['unknown middleware of the route may', [[admin], [], [unknown]]],
    ['the guard is intended', [[intended(createAdmin())]]],
  ])('causes none if %s', async (_case, options) => {
    expect(await warningsWith(...options)).toEqual([]);
  });
});
