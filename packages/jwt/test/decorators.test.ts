import 'reflect-metadata';
import { Controller, controllersPlugin, Get } from '@fairlead/controllers';
import { createApp, createRouter } from '@fairlead/core';
import type { Constructor } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import { Public, Roles, Scopes } from '../src/controllers.js';

/** A decorator as JavaScript sees it, without types. */
type Loose = (...args: unknown[]) => never;

const decorators = [
  ['Public', '@Public()', Public as Loose],
  ['Roles', "@Roles('admin')", Roles as Loose],
  ['Scopes', "@Scopes('users:write')", Scopes as Loose],
] as const;

/** Starts a controller, and returns the error of the start without the location. */
async function errorOf(controller: Constructor): Promise<unknown> {
  const router = createRouter();
  const plugin = controllersPlugin({ router, controllers: [controller] });
  const error: unknown = await createApp()
    .plugin(plugin)
    .then(
      () => undefined,
      (thrown) => thrown,
    );
  return Object.assign(error as Error, {
    message: (error as Error).message.replace(/\n {2}At: .*/, ''),
  });
}

describe.each(decorators)('@%s without parentheses', (name, example, decorate) => {
  const code = 'MISSING_PARENTHESES';
  const problem = (place: string) => ({
    code,
    message: `Cannot register ${place}: @${name} is missing its parentheses.\n  Fix: write ${example}.`,
  });

  it('is the only problem of its method', async () => {
    @Controller('/users')
    class UsersController {
      @Get()
      @decorate
      list() {}
    }
    expect(await errorOf(UsersController)).toMatchObject(problem('the route UsersController.list'));
  });

  it.each([
    ['above', [decorate, Controller('/users')]],
    ['below', [Controller('/users'), decorate]],
  ])('is the only problem of its class, %s @Controller()', async (_, [first, second]) => {
    @(first as Loose)
    @(second as Loose)
    class UsersController {
      @Get()
      list() {}
    }
    expect(await errorOf(UsersController)).toMatchObject(problem('the routes of UsersController'));
  });

  it('is a problem if its argument is a class, rather than an open route', async () => {
    class Admin {}
    @Controller('/users')
    class UsersController {
      @Get()
      @(decorate(Admin) as Loose)
      list() {}
    }
    expect(await errorOf(UsersController)).toMatchObject(problem('the route UsersController.list'));
  });
});

describe('@Public() on a subclass', () => {
  @Scopes('users:write')
  abstract class Writers {
    @Get()
    list() {}
  }

  abstract class Readers {
    @Get()
    @Roles('reader')
    list() {}
  }

  @Controller('/class')
  @Public()
  class ByClass extends Writers {}

  @Controller('/method')
  class ByMethod extends Writers {
    @Public()
    override list() {}
  }

  @Controller('/override')
  class ByOverride extends Readers {
    @Public()
    override list() {}
  }

  it.each([
    [ByClass, 'routes of ByClass', '@Scopes()', 'Writers', 'move @Scopes() from Writers to the'],
    [ByMethod, 'route ByMethod.list', '@Scopes()', 'Writers', 'move @Scopes() from Writers to the'],
    [
      ByOverride,
      'route ByOverride.list',
      '@Roles()',
      'Readers',
      'add @SkipInheritedGuards() to the',
    ],
  ])('is a problem of %o', async (target, place, guard, base, fix) => {
    const { message } = (await errorOf(target)) as Error;
    expect(message).toContain(
      `Cannot register the ${place}: @Public() opens what ${guard} of the base class ${base} restricts.`,
    );
    expect(message).toContain(`Fix: remove @Public(), or ${fix}`);
  });
});
