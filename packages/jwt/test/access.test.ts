import {
  Controller,
  controllersPlugin,
  createRouteMetadata,
  defineController,
  Get,
  type GuardFn,
  UseGuard,
} from '@fairlead/controllers';
import { checkingGuards } from '@fairlead/controllers/extend';
import { createApp, createRouter } from '@fairlead/core';
import { describe as describeFunction } from '@fairlead/core/extend';
import { Service } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import { jwtGuard, Public, Roles } from '../src/controllers.js';
import { createJwtAuth } from '../src/index.js';

const secret = 'a secret of at least thirty-two bytes';
const auth = createJwtAuth({ issuer: 'i', audience: 'a', secret });

/** Starts an application with access declared. Returns the texts of its problems, and its routes. */
async function start(controllers: readonly unknown[], guards: readonly GuardFn[] = []) {
  const app = createApp({ access: 'declared' });
  const router = createRouter();
  const options = { router, controllers: [...controllers] as never[], guards: [...guards] };
  await app.plugin(controllersPlugin(options));
  app.route('/', router);
  try {
    app.seal();
    return { app, problems: [] };
  } catch (error) {
    const { problems = [error] }: { readonly problems?: readonly unknown[] } = Object(error);
    return { app, problems: problems.map(String) };
  }
}

@Controller('/news')
class News {
  @Get('/a')
  @Public('Everyone may read the news.')
  a() {}

  @Get('/b')
  @Roles('admin')
  b() {}
}

describe('declared access of controllers', () => {
  it('is decided by the guard of the plugin, or by the reason of a decorator', async () => {
    const { app, problems } = await start([News], [jwtGuard(auth)]);
    expect(problems).toEqual([]);
    const [a, b] = app.routes();
    expect(a?.options.public).toBe('Everyone may read the news.');
    expect(b?.options.public).toBeUndefined();
    expect(checkingGuards(a?.handlers.at(-1))).toEqual([]);
    expect(checkingGuards(b?.handlers.at(-1))).toHaveLength(2);
  });

  it('is not decided by a decorator that exempts without a reason', async () => {
    @Controller()
    class Bare {
      @Get()
      @Public()
      list() {}
    }
    const { problems } = await start([Bare], [jwtGuard(auth)]);
    expect(problems).toEqual([expect.stringMatching(/who may call GET \/: .*At: .*access\.test/s)]);
  });

  it('asks values and classes alike', async () => {
    @Controller('/class')
    class Class {
      @Get('/open', { public: 'Everyone may.' })
      open() {}

      @Get('/undecided')
      undecided() {}
    }
    const value = defineController('/value', {
      routes: ({ get }) => ({
        open: get('/open', { public: 'Everyone may.' }, () => 1),
        decorated: get('/decorated', { metadata: [Public('Everyone may.')] }, () => 1),
        undecided: get('/undecided', () => 1),
      }),
    });
    const { problems } = await start([Class, value], [() => true]);
    expect(problems).toEqual([
      expect.stringContaining('who may call GET /class/undecided:'),
      expect.stringContaining('who may call GET /value/undecided:'),
    ]);
  });

  it('contradicts a reason on a route that another guard closes', async () => {
    const scheme = { type: 'apiKey', in: 'header', name: 'X-Key' } as const;
    const hasKey = describeFunction<GuardFn>(() => true, {
      name: 'hasKey',
      role: 'guard',
      security: { name: 'key', scheme },
    });
    @Controller()
    @UseGuard(hasKey)
    class Keyed {
      @Get('/a')
      @Public('Everyone may.')
      a() {}

      @Get('/b', { public: 'Everyone may.' })
      b() {}
    }
    const { problems } = await start([Keyed], [jwtGuard(auth)]);
    expect(problems).toEqual([
      expect.stringContaining('everyone may call GET /a, but hasKey demands credentials'),
      expect.stringContaining('everyone may call GET /b, but jwtGuard(auth) demands credentials'),
    ]);
  });

  it('is decided by described classes of guards and of middleware', async () => {
    @Service()
    class SignedIn {
      canActivate() {
        return true;
      }
    }
    @Service({ scope: 'request' })
    class Keyed {
      use(_ctx: unknown, next: () => unknown) {
        return next();
      }
    }
    const scheme = { type: 'http', scheme: 'basic' } as const;
    for (const one of [SignedIn, Keyed]) describeFunction(one, { security: { name: 'a', scheme } });
    const value = defineController('/value', {
      routes: ({ get }) => ({
        a: get('/a', { guards: [SignedIn] }, () => 1),
        b: get('/b', { middleware: [Keyed] }, () => 1),
      }),
    });
    expect((await start([value])).problems).toEqual([]);
  });

  it('takes the reason of other decorators that exempt', async () => {
    const signedIn = describeFunction<GuardFn>(() => true, {
      name: 'signedIn',
      role: 'guard',
      security: { name: 'a', scheme: { type: 'http', scheme: 'basic' } },
    });
    const Open = createRouteMetadata<{ because: string }>('Open', {
      guard: signedIn,
      exempts: ({ because }) => because,
    });
    const value = (because: string) =>
      defineController('/', {
        routes: ({ get }) => ({ a: get('/', { metadata: [Open({ because })] }, () => 1) }),
      });
    const { app, problems } = await start([value('Everyone may.')], [signedIn]);
    expect(problems).toEqual([]);
    expect(app.routes()[0]?.options.public).toBe('Everyone may.');
    await expect(start([value('')], [signedIn])).rejects.toThrow(/root\.a: public .*: got ''/);
  });
});

it.each(['', ' ', 7])('@Public(%j) is an error', (reason) => {
  expect(() => Public(reason as string)).toThrow(/@Public\(\) cannot use .* as the reason/);
});
