import { createApp, createRouter } from '@fairlead/core';
import {
  all,
  type ContainerInterface,
  createContainer,
  describeToken,
  lazy,
  optional,
  type RequestScope,
  type ScopeInterface,
  type Token,
} from '@fairlead/di';
import { describe, expect, it, vi } from 'vitest';
import {
  type CanActivate,
  Controller,
  ControllerResolutionError,
  defineController,
  Get,
  RequestContext,
  registerController,
  UseGuard,
} from '../src/index.js';
import { serve } from './support/serve.js';

class DoorGuard implements CanActivate {
  canActivate() {
    return true;
  }
}

@Controller('/door')
@UseGuard(DoorGuard, 'night watch')
class DoorController {
  constructor(readonly name = 'front') {}

  @Get()
  read() {
    return { name: this.name };
  }
}

/** What another container would make of a token. */
type Make = (token: Token) => unknown;

/** A container that is not of `@fairlead/di`: it resolves, and has no more than is given. */
function foreign(make: Make, more: Partial<ContainerInterface> = {}): ContainerInterface {
  return { resolve: make as ContainerInterface['resolve'], ...more };
}

/** A request scope of such a container. */
function foreignScope(make: Make, log: string[]): ScopeInterface {
  return {
    resolve: make as ScopeInterface['resolve'],
    resolveAsync: async (token) => make(token) as never,
    register: (token) => log.push(`registered ${describeToken(token)}`),
    [Symbol.dispose]: () => log.push('disposed at once'),
    [Symbol.asyncDispose]: async () => void log.push('disposed'),
  };
}

const outOfScope = (): never => {
  throw Object.assign(new Error('only in a scope'), { code: 'DI_OUT_OF_SCOPE' });
};
const instances = new Map<Token, unknown>([
  ['night watch', () => true],
  [DoorController, new DoorController('back')],
  [DoorGuard, new DoorGuard()],
]);
const supply: Make = (token) => instances.get(token);

describe('a container other than @fairlead/di', () => {
  it.each<[string, Partial<ContainerInterface>]>([
    ['resolve() alone', {}],
    ['has() and register(), too', { has: () => false, register: outOfScope }],
    ['isShared(), too', { isShared: () => true }],
    ['request scopes, too', { isShared: () => false }],
  ])('resolves what values receive, with %s', async (_, more) => {
    const values = defineController('/values', {
      inject: {
        clock: 'clock',
        later: lazy(() => 'clock'),
        mail: optional('mail'),
        rules: all('rules'),
      },
      routes: ({ get }) => ({
        read: get('/', (_ctx, { clock, later, mail, rules }) => [clock, later.value, mail, rules]),
      }),
    });
    const known = new Map<Token, unknown>([
      ['clock', 'noon'],
      ['mail', 'sent'],
      ['rules', ['a', 'b']],
    ]);
    const container = foreign((token) => known.get(token), more);
    const { fetch } = await serve({ container, controllers: [values] });
    const mail = more.has === undefined ? 'sent' : null;
    expect(await (await fetch('/values')).json()).toEqual(['noon', 'noon', mail, ['a', 'b']]);
  });

  it('resolves controllers and guards with resolve() alone', async () => {
    const { fetch } = await serve({ container: foreign(supply), controllers: [DoorController] });
    expect(await (await fetch('/door')).json()).toEqual({ name: 'back' });
  });

  it('receives the classes that has() does not know, and no others', async () => {
    const register = vi.fn();
    const has = (token: Token) => token === DoorGuard;
    const container = foreign(supply, { has, register });
    await serve({ container, controllers: [DoorController] });
    expect(register.mock.calls).toEqual([[DoorController, { useClass: DoorController }]]);
  });

  it('receives no class without has()', async () => {
    const register = vi.fn();
    const container = foreign(supply, { register });
    await serve({ container, controllers: [DoorController] });
    expect(register).not.toHaveBeenCalled();
  });

  it('works without register()', async () => {
    const container = foreign(supply, { has: () => false });
    const { fetch } = await serve({ container, controllers: [DoorController] });
    expect((await fetch('/door')).status).toBe(200);
  });

  it('reports its own problems through validate()', async () => {
    const problem = new Error('the door is missing');
    const validate = vi.fn(() => [problem]);
    const starting = serve({
      container: foreign(supply, { validate }),
      controllers: [DoorController],
    });
    await expect(starting).rejects.toThrow(ControllerResolutionError);
    await expect(starting).rejects.toMatchObject({
      cause: problem,
      message: 'Cannot resolve the controllers: the door is missing',
    });
    expect(validate).toHaveBeenCalledWith([DoorController, DoorGuard, 'night watch']);
  });

  it('builds asynchronous instances at startup through initialize(), and fails the startup', async () => {
    const initialize = vi.fn(() => Promise.reject(new Error('no database')));
    const container = foreign(supply, { initialize });
    await expect(serve({ container, controllers: [DoorController] })).rejects.toThrow(
      'Cannot resolve the controllers: no database',
    );
    const tokens = [DoorController, DoorGuard, 'night watch'];
    expect(initialize).toHaveBeenCalledWith(tokens, { singletons: 'all' });
  });

  it('may return a replacement, whose methods are called', async () => {
    const standIn = { read: () => ({ name: 'painted' }) };
    const container = foreign((token) => (token === DoorController ? standIn : supply(token)));
    const { fetch } = await serve({ container, controllers: [DoorController] });
    expect(await (await fetch('/door')).json()).toEqual({ name: 'painted' });
  });

  it.each([
    ['undefined', undefined, 'undefined'],
    ['an object without the method', {}, 'an object'],
  ])('that returns %s for a controller fails the startup', async (_, instance, text) => {
    const container = foreign((token) => (token === DoorController ? instance : supply(token)));
    await expect(serve({ container, controllers: [DoorController] })).rejects.toThrow(
      `Cannot resolve the controller of DoorController.read: the container returned ${text}`,
    );
  });

  it('works with registerController()', async () => {
    const router = createRouter();
    registerController(router, DoorController, { container: foreign(supply) });
    const app = createApp().route('/', router);
    expect(await (await app.request('/door')).json()).toEqual({ name: 'back' });
  });
});

describe('request scopes of such a container', () => {
  it('resolve request-scoped tokens, and are disposed with the response', async () => {
    const log: string[] = [];
    const container = foreign(outOfScope, { createScope: () => foreignScope(supply, log) });
    const { fetch } = await serve({ container, controllers: [DoorController] });
    expect(await (await fetch('/door')).json()).toEqual({ name: 'back' });
    await expect.poll(() => log).toEqual(['disposed']);
  });

  it('receive the context of the request when the container knows RequestContext', async () => {
    const log: string[] = [];
    const container = foreign(outOfScope, {
      has: (token) => token === RequestContext,
      register: () => undefined,
      createScope: () => foreignScope(supply, log),
    });
    const { fetch } = await serve({ container, controllers: [DoorController] });
    expect((await fetch('/door')).status).toBe(200);
    await expect.poll(() => log).toEqual(['registered RequestContext', 'disposed']);
  });

  it('that fail to resolve respond with a logged 500', async () => {
    const log: string[] = [];
    const refuse: Make = () => {
      throw new Error('the pool is exhausted');
    };
    const container = foreign(outOfScope, { createScope: () => foreignScope(refuse, log) });
    const { fetch, hidden } = await serve({ container, controllers: [DoorController] });
    expect((await fetch('/door')).status).toBe(500);
    expect(hidden).toMatchObject([
      { name: 'ControllerResolutionError', cause: { message: 'the pool is exhausted' } },
    ]);
  });

  it('may wrap those of @fairlead/di, and wait for asynchronous providers', async () => {
    const di = createContainer();
    di.register(DoorController, { useFactory: async () => new DoorController('back') });
    const scopeOf = (scope: RequestScope): ScopeInterface => ({
      ...foreignScope((token) => scope.resolve(token), []),
      resolveAsync: (token) => scope.resolveAsync(token),
    });
    const container = foreign(outOfScope, { createScope: () => scopeOf(di.createScope()) });
    di.register('night watch', { useValue: () => true }).register(DoorGuard);
    const { fetch } = await serve({ container, controllers: [DoorController] });
    expect(await (await fetch('/door')).json()).toEqual({ name: 'back' });
  });

  it('are optional: the container resolves for each request', async () => {
    const make = vi
      .fn<Make>(supply)
      .mockImplementationOnce(outOfScope)
      .mockImplementationOnce(outOfScope)
      .mockImplementationOnce(outOfScope);
    const container = foreign(make);
    const { fetch } = await serve({ container, controllers: [DoorController] });
    expect(await (await fetch('/door')).json()).toEqual({ name: 'back' });
    expect(make.mock.calls.slice(-3)).toEqual([[DoorGuard], ['night watch'], [DoorController]]);
  });
});
