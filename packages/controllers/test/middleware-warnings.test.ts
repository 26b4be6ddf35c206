import {
  type Context,
  createApp,
  createRouter,
  intended,
  type Middleware,
  type Next,
  type StandardSchema,
} from '@fairlead/core';
import { createContainer, Service } from '@fairlead/di';
import { afterEach, expect, it, vi } from 'vitest';
import { Body, Controller, controllersPlugin, Post, UseMiddleware } from '../src/index.js';

afterEach(() => vi.restoreAllMocks());

const schema: StandardSchema = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) },
};

const read: Middleware = (ctx, next) => {
  ctx.body = 'read';
  return next();
};

@Service()
class Read {
  use(ctx: Context, next: Next): unknown {
    ctx.body = 'read';
    return next();
  }
}

@Service({ scope: 'request' })
class ReadPerRequest extends Read {}

@Service()
class Hidden {
  use(ctx: Context, next: Next): unknown {
    return read(ctx, next);
  }
}

@Service()
class Intended extends Hidden {}

/** Returns the warnings of an application whose controller reads the body after some middleware. */
async function warningsAfter(
  middleware: Middleware | typeof Read | string,
  scope: 'singleton' | 'request' = 'singleton',
): Promise<readonly unknown[]> {
  @Service({ scope })
  @Controller('/')
  @UseMiddleware(middleware)
  class BodyController {
    @Post('/')
    create(@Body({ schema }) body: unknown) {
      return body;
    }
  }
  const container = createContainer();
  container.register('perRequest', { useFactory: () => read }, { scope: 'transient' });
  const router = createRouter();
  const app = createApp().route('/', router);
  const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
  await app.plugin(controllersPlugin({ router, controllers: [BodyController], container }));
  app.seal();
  return emitWarning.mock.calls.map(([message]) => String(message));
}

it.each<[string, ...Parameters<typeof warningsAfter>]>([
  ['a function before request-scoped instances', read, 'request'],
  ['a class', Read],
  ['a class with an instance for each request', ReadPerRequest],
  ['a token with an instance for each request', 'perRequest'],
  [
    'an intended function before request-scoped instances',
    intended<Middleware>((ctx, next) => read(ctx, next)),
    'request',
  ],
  ['an intended class', intended(Intended)],
])('knows that the middleware of @UseMiddleware() reads the body: %s', async (_, ...middleware) => {
  expect(await warningsAfter(...middleware)).toEqual([]);
});

it.each<[string, ...Parameters<typeof warningsAfter>]>([
  ['a function before request-scoped instances', (ctx, next) => read(ctx, next), 'request'],
  ['a class', Hidden],
])('warns if it cannot tell: %s', async (_, ...middleware) => {
  expect(await warningsAfter(...middleware)).toEqual([
    expect.stringContaining('No parser reads the body of: POST /.'),
  ]);
});
