import {
  createContainer,
  optional,
  type Provider,
  type RegisterOptions,
  Service,
  token,
} from '@fairlead/di';
import { markIntended } from '@fairlead/options';
import { describe, expect, it, vi } from 'vitest';
import {
  Controller,
  ControllerResolutionError,
  type ControllersPluginOptions,
  defineController,
  Get,
  type GuardFn,
  type StartError,
  UseGuard,
  UseMiddleware,
} from '../src/index.js';
import { failStart } from './support/fail-start.js';
import { locationsIn } from './support/locations.js';
import { message, refusal, tokenRefusal } from './support/message.js';
import { serve } from './support/serve.js';

const locationOf = locationsIn(import.meta.url);
const FAULTS: unique symbol = Symbol.for('fairlead:faults');
const ADMIN = token<GuardFn>('ADMIN');

class Base {
  @Get()
  read() {}
}

@Controller('/working')
class WorkingController extends Base {}

@Controller('/guarded')
@UseGuard(ADMIN)
class GuardedController extends Base {}

@Controller('/logged')
@UseMiddleware('audit')
class LoggedController extends Base {}

@Controller('/throwing')
class ThrowingController extends Base {
  constructor() {
    super();
    throw new Error('no database');
  }
}

@Controller('/late')
class LateController extends Base {
  static readonly inject = ['later'] as const;
  constructor(readonly later: string) {
    super();
  }
}

@Service({ scope: 'request' })
class PlainVisit {}

@Service()
class PlainGuard {
  canActivate = 'no function';
}

describe('install rejects and registers nothing for', () => {
  it('a guard token that nothing provides', async () => {
    const error = await failStart([GuardedController]);
    expect(error).toBeInstanceOf(ControllerResolutionError);
    expect(error).toMatchObject({ cause: { code: 'DI_UNKNOWN_TOKEN' } });
    expect(error.message).toBe(
      tokenRefusal(
        'the guard token(ADMIN) of GuardedController.read',
        error.cause,
        locationOf('GuardedController'),
      ),
    );
  });

  it('a middleware token that nothing provides', async () => {
    const error = await failStart([LoggedController]);
    expect(error.message).toBe(
      tokenRefusal(
        "the middleware 'audit' of LoggedController.read",
        error.cause,
        locationOf('LoggedController'),
      ),
    );
  });

  it('a middleware token of the plugin that nothing provides', async () => {
    const error = await failStart([WorkingController], { middleware: [Symbol('log')] });
    expect(error.message).toBe(
      message(
        'Cannot resolve the middleware Symbol(log) of the plugin: Nothing provides Symbol(log).',
        'Fix: register it first: container.register(token, { useValue: … }), or with useClass, useFactory or useExisting.',
      ),
    );
  });

  it.each([
    ['guards', 'guard'],
    ['interceptors', 'interceptor'],
  ])('a token in the %s of the plugin that nothing provides', async (option, kind) => {
    const error = await failStart([WorkingController], { [option]: [ADMIN] });
    expect(error.message).toContain(`Cannot resolve the ${kind} token(ADMIN) of the plugin:`);
  });

  it.each(['guards', 'middleware', 'interceptors'])(
    'a class in the %s of the plugin that the container cannot build',
    async (option) => {
      @Service()
      class Unbuildable {
        constructor(readonly missing: Base) {}
        canActivate() {}
        use() {}
        intercept() {}
      }
      const error = await failStart([WorkingController], { [option]: [Unbuildable] });
      expect(error).toBeInstanceOf(ControllerResolutionError);
      expect(error.message).toContain('Unbuildable of the plugin: Nothing provides Base');
    },
  );

  it('a guard token that is not for a guard', async () => {
    const container = createContainer();
    container.register<unknown>(ADMIN, { useClass: PlainGuard });
    const error = await failStart([GuardedController], { container });
    expect(error.message).toBe(
      message(
        'Cannot resolve the guard token(ADMIN) of GuardedController.read: the container returned an instance of PlainGuard, which is not a function or an object with canActivate().',
        `At: ${locationOf('GuardedController')}`,
        'Fix: register a function or an object with canActivate(). In a test, also check the overrides.',
      ),
    );
  });

  describe.each<[string, Provider<unknown, readonly []>, RegisterOptions]>([
    ['request-scoped', { useClass: PlainVisit }, { scope: 'request' }],
    ['transient', { useClass: PlainVisit }, { scope: 'transient' }],
    ['aliased', { useExisting: PlainVisit }, {}],
  ])('the %s class without the method', (_, provider, options) => {
    const found = 'the class PlainVisit has no method';
    const register = () => createContainer().register<unknown>(ADMIN, provider, options);

    it.each([
      ['guard', { guards: [ADMIN] }],
      ['middleware', { middleware: [ADMIN] }],
      ['interceptor', { interceptors: [ADMIN] }],
    ])('of the %s whose token it has', async (kind, lists) => {
      const value = defineController('/values', {
        ...lists,
        routes: ({ get }) => ({ read: get('/', () => 1) }),
      });
      const ofValue = await failStart([value], { container: register() });
      expect(ofValue.message).toContain(`the ${kind} token(ADMIN) of values.read: ${found}`);
      const ofPlugin = await failStart([WorkingController], { container: register(), ...lists });
      expect(ofPlugin.message).toContain(`the ${kind} token(ADMIN) of the plugin: ${found}`);
    });
  });

  it('a class without the method, whose error says what to do', async () => {
    const container = createContainer().register<unknown>(
      ADMIN,
      { useClass: PlainVisit },
      { scope: 'request' },
    );
    const error = await failStart([GuardedController], { container });
    expect(error.message).toBe(
      message(
        'Cannot resolve the guard token(ADMIN) of GuardedController.read: the class PlainVisit has no method canActivate().',
        `At: ${locationOf('GuardedController')}`,
        'Fix: add a method canActivate(ctx) to the class, or register a class that has one: container.register(token, { useClass: … }).',
      ),
    );
  });

  it('a token of another copy of @fairlead/di', async () => {
    vi.resetModules();
    const other: typeof import('@fairlead/di') = await import('@fairlead/di');
    const auth = other.token<GuardFn>('auth');
    const value = defineController('/values', {
      guards: [auth as never],
      routes: ({ get }) => ({ read: get('/', () => 1) }),
    });
    const { message: text } = await failStart([value]);
    expect(text).toContain(
      "defineController('/values') cannot use an instance of InjectionToken as guards[0], because it is from another copy of @fairlead/di.",
    );
    expect(text).toContain('Fix: install one version of @fairlead/di.');
    const own = await failStart([WorkingController], { guards: [optional(ADMIN) as never] });
    expect(own.message).not.toContain('another copy');
  });

  it('a class that lacks the method of the controller that it replaces', async () => {
    class FakeController {}
    const container = createContainer().register(
      WorkingController,
      { useClass: FakeController as never },
      { scope: 'request' },
    );
    const error = await failStart([WorkingController], { container });
    expect(error.message).toContain(
      'Cannot resolve the controller of WorkingController.read: the container replaces it by the class FakeController, which has no method read().',
    );
  });

  it('a guard token that is for a guard class instead of an instance', async () => {
    class AdminGuard {
      canActivate() {
        return true;
      }
    }
    const container = createContainer();
    container.register<unknown>(ADMIN, { useValue: AdminGuard });
    const error = await failStart([GuardedController], { container });
    expect(error.message).toContain('the guard token(ADMIN) of GuardedController.read');
    expect(error.message).toContain('the container returned the class AdminGuard');
  });

  it('a middleware token that is not for a function', async () => {
    const container = createContainer().register('audit', { useValue: 7 });
    const error = await failStart([LoggedController], { container });
    expect(error.message).toBe(
      message(
        "Cannot resolve the middleware 'audit' of LoggedController.read: the container returned 7, which is not a function (ctx, next) or an object with use().",
        `At: ${locationOf('LoggedController')}`,
        'Fix: register a function (ctx, next) or an object with use(). In a test, also check the overrides.',
      ),
    );
  });

  it('a constructor that throws', async () => {
    const error = await failStart([ThrowingController, WorkingController]);
    expect(error.message).toBe(
      refusal('the controller ThrowingController', error.cause, locationOf('ThrowingController')),
    );
  });

  it('an asynchronous provider that fails', async () => {
    const container = createContainer();
    container.register('later', { useFactory: () => Promise.reject(new Error('unreachable')) });
    const error = await failStart([LateController], { container });
    expect(error.message).toBe(
      refusal('the controller LateController', error.cause, locationOf('LateController')),
    );
  });

  it('what classes of other packages find, and builds nothing that depends on them', async () => {
    const built: string[] = [];
    class Faulty {
      static readonly inject = [] as const;
      static [FAULTS](): readonly Error[] {
        return [new Error('first fault'), new Error('second fault')];
      }
      constructor() {
        built.push('Faulty');
      }
    }
    class Sound {
      static readonly inject = [] as const;
      static [FAULTS](): readonly Error[] {
        return [];
      }
      constructor() {
        built.push('Sound');
      }
    }
    @Controller('/faulty')
    class FaultyController extends Base {
      static readonly inject = [Faulty, 'nothing'] as const;
      constructor(..._: unknown[]) {
        super();
        built.push('FaultyController');
      }
    }
    @Controller('/sound')
    class SoundController extends Base {
      static readonly inject = [Sound] as const;
      constructor(..._: unknown[]) {
        super();
        built.push('SoundController');
      }
    }
    const error = await failStart([FaultyController, SoundController]);
    const [unknown, ...faults] = (error as StartError).problems.map((problem) => problem.message);
    expect(unknown).toContain("Nothing provides 'nothing'");
    expect(faults).toEqual(['first fault', 'second fault']);
    expect(built).toEqual(['Sound', 'SoundController']);
  });

  it('a class whose statics contradict its decorator, next to other problems', async () => {
    @Controller('/worker')
    @Service({ eager: true })
    class WorkerController extends Base {
      static readonly inject = [] as const;
      static readonly scope = 'request';
    }
    const error = await failStart([WorkerController, GuardedController]);
    const problems = (error as StartError).problems.map((problem) => problem.message);
    expect(problems).toEqual([
      expect.stringContaining("must be a singleton, but its scope is 'request'"),
      expect.stringContaining('Nothing provides token(ADMIN)'),
    ]);
  });

  it('tokens that a container without validate cannot resolve', async () => {
    const resolve = (): never => {
      throw new Error('not mine');
    };
    const controllers = [WorkingController, LoggedController];
    const error = await failStart(controllers, { container: { resolve } });
    expect((error as StartError).problems.map((problem) => problem.message)).toEqual([
      message(
        'Cannot resolve the controller WorkingController: not mine',
        `At: ${locationOf('WorkingController')}`,
      ),
      message(
        'Cannot resolve the controller LoggedController: not mine',
        `At: ${locationOf('LoggedController')}`,
      ),
      message(
        "Cannot resolve the middleware 'audit' of LoggedController.read: not mine",
        `At: ${locationOf('LoggedController')}`,
      ),
    ]);
  });
});

it('the start accepts a class whose instances may have the method of a guard', async () => {
  const allow = { canActivate: () => true };
  class Assigned {
    constructor() {
      Object.assign(this, allow);
    }
  }
  class Read {
    readonly #allow = allow.canActivate;
    get canActivate() {
      return this.#allow;
    }
  }
  for (const useClass of [Assigned, Read]) {
    const container = createContainer();
    container.register<unknown>(ADMIN, { useClass }, { scope: 'request' });
    const { fetch } = await serve({ container, controllers: [GuardedController] });
    expect((await fetch('/guarded')).status).toBe(204);
  }
  @Controller('/read')
  @UseGuard(Read)
  class ReadController extends Base {}
  const { fetch } = await serve({ controllers: [ReadController] });
  expect((await fetch('/read')).status).toBe(204);
});

describe('the start warns about a token with several providers, of which only the last one runs', () => {
  const allow: GuardFn = () => true;
  const warnings = async (options: Partial<ControllersPluginOptions>, provider: object) => {
    const container = createContainer()
      .register(ADMIN, { useValue: () => false }, { multi: true })
      .register(ADMIN, provider as { useValue: GuardFn }, { multi: true });
    const warn = vi.fn();
    const { fetch } = await serve({ container, logger: { debug: () => {}, warn }, ...options });
    expect((await fetch('/guarded')).status).toBe(204);
    return warn.mock.calls.flat();
  };

  it('of a guard, once for all routes', async () => {
    const controllers = [GuardedController, WorkingController];
    expect(await warnings({ controllers, guards: [ADMIN, allow] }, { useValue: allow })).toEqual([
      message(
        '[controllers] the guard token(ADMIN) of GuardedController.read is only the last of the 2 providers of token(ADMIN), so the others do not run.',
        `At: ${locationOf('GuardedController')}`,
        'Fix: register a token for each of them, and list all tokens, or pass the last provider to intended().',
      ),
    ]);
  });

  it('unless the provider is intended', async () => {
    const controllers = [GuardedController];
    expect(await warnings({ controllers }, markIntended({ useValue: allow }))).toEqual([]);
  });
});
