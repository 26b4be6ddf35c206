import { createApp, createRouter, errorHandler } from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { expect, it } from 'vitest';
import { GUARD_OVERRIDES } from '../src/extend.js';
import { Controller, controllersPlugin, Get, type GuardFn, UseGuard } from '../src/index.js';

const never: GuardFn = () => false;
const always: GuardFn = () => true;

class ClassGuard {
  canActivate() {
    return true;
  }
}

@Controller('/')
@UseGuard(always)
class RootController {
  @Get('/closed')
  @UseGuard(never)
  closed() {
    return 1;
  }

  @Get('/open')
  @UseGuard(ClassGuard)
  open() {
    return 2;
  }
}

it('the function of GUARD_OVERRIDES replaces guard functions while routes are built', async () => {
  const asked: unknown[] = [];
  const container = createContainer().register(GUARD_OVERRIDES, {
    useValue: (guard) => {
      asked.push(guard);
      return { never: always, always: never }[guard.name];
    },
  });
  container.register(ClassGuard);
  const router = createRouter();
  const app = createApp().use(errorHandler());
  const controllers = [RootController];
  await app.plugin(controllersPlugin({ router, container, controllers, guards: [never] }));
  app.route('/', router);
  expect(asked).toEqual([never, always, never, never, always]);
  const denied = await app.request('/open');
  expect(await denied.json()).toMatchObject({ status: 403, guard: 'always' });
  await app.request('/closed');
  expect(asked).toHaveLength(5);
});

it('guards stay without GUARD_OVERRIDES in the container', async () => {
  const router = createRouter();
  const app = createApp().use(errorHandler());
  const controllers = [RootController];
  await app.plugin(controllersPlugin({ router, container: createContainer(), controllers }));
  app.route('/', router);
  expect((await app.request('/open')).status).toBe(200);
  expect((await app.request('/closed')).status).toBe(403);
});
