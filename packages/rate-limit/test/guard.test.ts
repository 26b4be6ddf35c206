import 'reflect-metadata';
import {
  Controller,
  controllersPlugin,
  Get,
  type GuardFn,
  Post,
  UseGuard,
} from '@fairlead/controllers';
import {
  type Application,
  type Context,
  createApp,
  createRouter,
  errorHandler,
  UnauthorizedError,
} from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { isFactory } from '@fairlead/options';
import { expect, it } from 'vitest';
import { rateLimitGuard } from '../src/index.js';
import { limitOf } from './support/limit.js';

const signedIn: GuardFn = (ctx) => {
  const user = ctx.get('X-User');
  if (user === undefined) throw new UnauthorizedError('Sign in.');
  ctx.state.user = user;
  return true;
};

const perUser = { duration: 60, key: (ctx: Context) => String(ctx.state.user) };

@Controller('/reports')
@UseGuard(signedIn, rateLimitGuard({ ...perUser, points: 3, name: 'reports' }))
class ReportsController {
  @Get()
  list() {
    return [];
  }

  @Post()
  @UseGuard(rateLimitGuard({ ...perUser, points: 1, name: 'create' }))
  create() {
    return {};
  }
}

async function createClasses(): Promise<Application> {
  const router = createRouter();
  const app = createApp().use(errorHandler());
  const controllers = [ReportsController];
  await app.plugin(controllersPlugin({ router, container: createContainer(), controllers }));
  return app.route('/', router);
}

const as = (user: string, method = 'GET') => ({ method, headers: { 'X-User': user } });

it('a guard limits each signed-in user', async () => {
  const app = await createClasses();
  const send = async (user: string) => limitOf(await app.request('/reports', as(user)));
  for (const left of [2, 1, 0]) {
    expect(await send('ada')).toMatchObject({ status: 200, limit: `"reports";r=${left};t=60` });
  }
  expect(await send('ada')).toMatchObject({ status: 429, retry: '60' });
  expect(await send('bob')).toMatchObject({ status: 200 });
  expect((await app.request('/reports')).status).toBe(401);
});

it('the guard of a method adds to that of its class', async () => {
  const app = await createClasses();
  expect(limitOf(await app.request('/reports', as('ada', 'POST')))).toMatchObject({
    status: 200,
    limit: '"reports";r=2;t=60, "create";r=0;t=60',
  });
  expect((await app.request('/reports', as('ada', 'POST'))).status).toBe(429);
  expect((await app.request('/reports', as('ada'))).status).toBe(200);
});

it('applications with the same controllers count separately', async () => {
  for (const app of [await createClasses(), await createClasses()]) {
    expect((await app.request('/reports', as('ada', 'POST'))).status).toBe(200);
  }
});

it('rateLimitGuard() checks its options, and is a factory', () => {
  expect(() => Reflect.apply(rateLimitGuard, undefined, [{ points: 1 }])).toThrow(
    'rateLimitGuard() needs duration.',
  );
  expect(isFactory(rateLimitGuard)).toBe(true);
});
