import { Controller, controllersPlugin, Get, type GuardFn, UseGuard } from '@fairlead/controllers';
import { createApp, createRouter, errorHandler, SetupError } from '@fairlead/core';
import { type Container, Service } from '@fairlead/di';
import { describe, expect, it, vi } from 'vitest';
import { createTestApp, type TestAppOptions } from '../src/index.js';

const signedIn = vi.fn<GuardFn>(() => false);
const isAdmin: GuardFn = (ctx) => ctx.get('X-Role') === 'admin';

@Service()
class DenyGuard {
  canActivate() {
    return false;
  }
}

@Controller('/users')
@UseGuard(signedIn)
class UsersController {
  @Get()
  list() {
    return [];
  }

  @Get('/admin')
  @UseGuard(isAdmin)
  admin() {
    return 'admin';
  }

  @Get('/denied')
  @UseGuard(DenyGuard)
  denied() {
    return 'denied';
  }
}

const controllers = [UsersController];

async function createMyApp(container: Container) {
  const router = createRouter();
  const app = createApp().use(errorHandler());
  await app.plugin(controllersPlugin({ router, container, controllers }));
  return app.route('/', router);
}

describe('a guard override', () => {
  it('replaces a guard function on every route, and keeps the others', async () => {
    await using app = await createTestApp({
      controllers,
      guardOverrides: [[signedIn, () => true]],
    });
    expect((await app.request('/users')).status).toBe(200);
    expect((await app.request('/users/admin')).status).toBe(403);
    const headers = { 'X-Role': 'admin' };
    expect((await app.request('/users/admin', { headers })).status).toBe(200);
    expect((await app.request('/users/denied')).status).toBe(403);
    expect(signedIn).not.toHaveBeenCalled();
  });

  it('works for an application of your own, asynchronously and from the request', async () => {
    await using app = await createTestApp({
      app: createMyApp,
      guardOverrides: [[signedIn, async (ctx) => ctx.get('X-User') === 'Ada']],
    });
    expect((await app.request('/users', { headers: { 'X-User': 'Ada' } })).status).toBe(200);
    const denied = await app.request('/users');
    expect(denied.status).toBe(403);
    expect(await denied.json()).toMatchObject({ guard: signedIn.name });
  });

  it('replaces a guard of the plugin', async () => {
    await using app = await createTestApp({
      controllers,
      guards: [isAdmin],
      guardOverrides: [
        [isAdmin, () => true],
        [signedIn, () => true],
      ],
    });
    expect((await app.request('/users/admin')).status).toBe(200);
  });

  it('ends with its test', async () => {
    await using app = await createTestApp({ controllers });
    expect((await app.request('/users')).status).toBe(403);
  });

  it('that replaces nothing fails the startup', async () => {
    function unknown() {
      return true;
    }
    const message = (name: string) =>
      `createTestApp() cannot override the guard ${name}: no route of a controller has it. Pass the function that @UseGuard() or the plugin received, and the container of the test to controllersPlugin(), or remove the override.`;
    const start = createTestApp({
      controllers,
      guardOverrides: [
        [signedIn, () => true],
        [unknown, () => true],
      ],
    });
    await expect(start).rejects.toThrow(new SetupError('INVALID_OPTION', message('unknown')));
    const app = () => createApp().get('/', () => 1);
    await expect(
      createTestApp({ app, guardOverrides: [[signedIn, () => true]] }),
    ).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  });

  it.each([
    [
      DenyGuard,
      () => true,
      'cannot replace the class DenyGuard with guardOverrides. Use overrides: [[DenyGuard, { useValue: { canActivate: () => true } }]].',
    ],
    [
      signedIn,
      DenyGuard,
      'cannot use the class DenyGuard as a replacement in guardOverrides. Use a function.',
    ],
  ])('with a class is refused: %o, %o', async (guard, replacement, problem) => {
    const guardOverrides = [[guard, replacement]];
    const start = createTestApp({ controllers, guardOverrides } as unknown as TestAppOptions);
    await expect(start).rejects.toThrow(
      new SetupError('INVALID_OPTION', `createTestApp() ${problem}`),
    );
  });

  it.each([[{}], [[signedIn]], [[[signedIn]]], [[[signedIn, true]]]])(
    'of the wrong form is refused: %o',
    async (guardOverrides) => {
      const start = createTestApp({ controllers, guardOverrides } as unknown as TestAppOptions);
      await expect(start).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(
          'guardOverrides of createTestApp() must be an array of [guard, replacement] with functions: got',
        ),
      });
    },
  );
});
