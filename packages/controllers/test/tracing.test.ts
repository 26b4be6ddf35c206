import { tracingChannel } from 'node:diagnostics_channel';
import { createApp, createRouter, type Middleware, type TracedCall } from '@fairlead/core';
import { describe } from '@fairlead/core/extend';
import { createContainer, Service } from '@fairlead/di';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import {
  Body,
  Controller,
  controllersPlugin,
  defineController,
  Post,
  UseGuard,
  UseInterceptor,
  UseMiddleware,
} from '../src/index.js';

/** Subscribes to all parts for the rest of the test, and returns what begins. */
function subscribe(): string[] {
  const started: string[] = [];
  const parts = ['middleware', 'guard', 'validation', 'handler', 'serialization', 'container'];
  for (const part of parts) {
    const { start } = tracingChannel(`fairlead:${part}`);
    const note = (message: unknown) => {
      started.push(`${part} ${(message as TracedCall).name}`);
    };
    start.subscribe(note);
    onTestFinished(() => {
      start.unsubscribe(note);
    });
  }
  return started;
}

const User = z.object({ name: z.string() });
const pass = (_ctx: unknown, next: () => unknown) => next();
const allow = () => true;

@Service({ scope: 'request' })
class Users {}

@Service({ scope: 'request' })
@Controller('/users')
@UseGuard(allow)
class UsersController {
  static readonly inject = [Users] as const;

  constructor(readonly users: Users) {}

  @Post('/')
  @UseMiddleware(pass)
  @UseInterceptor((_ctx, next) => next())
  async create(@Body({ schema: User }) user: z.infer<typeof User>) {
    return user;
  }
}

const users = defineController('/users', {
  scope: 'request',
  inject: { users: Users },
  guards: [allow],
  routes: ({ post }) => ({
    create: post('/', { body: User, middleware: [pass] }, async ({ body }) => body),
  }),
});

it.each([
  ['a class', UsersController, 'UsersController.create'],
  ['a value', users, 'users.create'],
])('the tracing channels publish the parts of %s, each one once', async (_, controller, name) => {
  const started = subscribe();
  const router = createRouter();
  const app = createApp();
  const container = createContainer();
  await app.plugin(controllersPlugin({ router, container, controllers: [controller] } as never));
  app.route('/', router);
  expect(started.splice(0)).toEqual(['container singletons']);
  const headers = { 'Content-Type': 'application/json' };
  const init = { method: 'POST', headers, body: '{"name":"Ada"}' };
  expect(await (await app.request('/users', init)).json()).toEqual({ name: 'Ada' });
  expect(started).toEqual(
    expect.arrayContaining([
      'middleware pass',
      'guard allow',
      `validation ${name}`,
      `handler ${name}`,
    ]),
  );
  const handlers = started.filter((event) => /^(?:guard|handler|validation) /.test(event));
  expect(handlers).toEqual(['guard allow', `validation ${name}`, `handler ${name}`]);
  expect(started.filter((event) => event.startsWith('container '))).toHaveLength(1);
});

it('the tracing channels publish guards that run before middleware', async () => {
  const late = describe<Middleware>((_ctx, next) => next(), {
    role: 'middleware',
    afterGuards: true,
  });
  const keyed = defineController('/keyed', {
    guards: [allow],
    routes: ({ post }) => ({ create: post('/', { middleware: [late] }, () => 1) }),
  });
  const started = subscribe();
  const router = createRouter();
  const app = createApp();
  await app.plugin(controllersPlugin({ router, controllers: [keyed] }));
  app.route('/', router);
  await app.request('/keyed', { method: 'POST' });
  expect(started.filter((event) => event.startsWith('guard '))).toEqual(['guard allow']);
});
