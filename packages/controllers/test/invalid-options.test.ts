import { createApp, createRouter } from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import * as controllers from '../src/index.js';
import { buildRoutes, Controller, ControllerRegistry, Get, UseMiddleware } from '../src/index.js';
import { failStart, PLUGIN_CALL } from './support/fail-start.js';
import { locationsIn } from './support/locations.js';

type Loose = (...values: readonly unknown[]) => unknown;

// The compiler knows most of these mistakes. It does not check JavaScript.
const { createCustomParamDecorator, createRouteMetadata, describeRoutes } =
  controllers as unknown as Readonly<Record<keyof typeof controllers, Loose>>;
const { discoverControllers, registerController } = controllers as unknown as Readonly<
  Record<keyof typeof controllers, Loose>
>;

@Controller()
class UsersController {
  @Get()
  read() {}
}

const router = createRouter();
const container = createContainer();
const refusal = (message: unknown) => expect.objectContaining({ code: 'INVALID_OPTION', message });

describe('controllersPlugin', () => {
  it('reports all wrong options when it is installed', async () => {
    const options = { middlewares: [], strict: 'yes' } as object;
    expect(await failStart([UsersController], options)).toMatchObject({
      problems: [
        refusal(
          expect.stringContaining(
            "controllersPlugin() has no option 'middlewares'. Did you mean 'middleware'?",
          ),
        ),
        { code: 'INVALID_OPTION' },
      ],
    });
  });

  it.each([
    [{ strict: 'yes' as never }, 'INVALID_OPTION'],
    [{ prefix: '/a*' }, 'INVALID_OPTION'],
    [{ controllers: [UsersController, class Plain {}] }, 'NOT_A_CONTROLLER'],
  ])('locates the call that received a wrong option: case %#', async (options, code) => {
    const message = expect.stringContaining(`\n  At: ${PLUGIN_CALL}`);
    expect(await failStart([UsersController], options)).toMatchObject({ code, message });
  });
});

describe('@UseMiddleware()', () => {
  it('locates the route of a function that expects the arguments of Express', async () => {
    const old = (_req: unknown, _res: unknown, next: () => unknown) => next();
    @Controller('/old')
    class OldController {
      @Get()
      @UseMiddleware(old as never)
      read() {}
    }
    const { message } = await failStart([OldController]);
    expect(message).toContain('Cannot register the route OldController.read: ');
    expect(message).toContain('pass connect(old) from @fairlead/connect.');
    expect(message).toContain(`\n  At: ${locationsIn(import.meta.url)('OldController', '@Get')}`);
  });
});

describe('registerController', () => {
  it.each([
    [
      [createApp(), UsersController],
      "router of registerController() must be a router from createRouter(), mounted with app.route('/', router): got an instance of Application.",
    ],
    [
      [router, UsersController, { container, prefx: '/a' }],
      "registerController() has no option 'prefx'. Did you mean 'prefix'?",
    ],
    [
      [router, UsersController, container],
      'registerController() cannot use a container as options. Pass { container }.',
    ],
  ])('rejects wrong arguments: case %#', (values, message) => {
    expect(() => registerController(...values)).toThrow(message);
    expect(router.routes).toEqual([]);
  });

  it.each([undefined, {}, new UsersController()])('rejects %o as a class', (target) => {
    const register = () => registerController(router, target, { container });
    expect(register).toThrow(expect.objectContaining({ code: 'NOT_A_CONTROLLER' }));
  });
});

describe('buildRoutes', () => {
  it('rejects unknown options', () => {
    const options = { warning: () => {} } as object;
    expect(() => buildRoutes(UsersController, options)).toThrow(
      refusal(
        "buildRoutes() has no option 'warning'. Remove it, or use prefix, guards, middleware, interceptors, versionIn, container or warn.",
      ),
    );
  });

  it('accepts a class or its definition', () => {
    const definition = new ControllerRegistry().register(UsersController);
    const [ofClass, ofDefinition] = [UsersController, definition].map((target) =>
      buildRoutes(target).map(({ method, path }) => `${method} ${path}`),
    );
    expect(ofDefinition).toEqual(ofClass);
    expect(ofClass).not.toEqual([]);
  });

  it('rejects what is neither a class nor a definition', () => {
    expect(() => buildRoutes({} as never)).toThrow(
      expect.objectContaining({ code: 'NOT_A_CONTROLLER' }),
    );
  });
});

describe('ControllerRegistry', () => {
  it('rejects what is not a class', () => {
    expect(() => new ControllerRegistry().register({} as never)).toThrow(
      'An object is not a controller.',
    );
  });
});

describe('discoverControllers', () => {
  it.each([
    [
      undefined,
      "discoverControllers() needs a root. Pass a path or a file: URL, such as new URL('./controllers/', import.meta.url).",
    ],
    [
      { root: 'src', includes: ['**'] },
      "discoverControllers() has no option 'includes'. Did you mean 'include'?",
    ],
    ['src', "options of discoverControllers() must be an object: got 'src'."],
  ])('rejects %o', async (options, message) => {
    await expect(discoverControllers(options)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message,
    });
  });
});

describe('describeRoutes', () => {
  it('rejects what is not an application', () => {
    expect(() => describeRoutes(router)).toThrow(
      refusal('describeRoutes() cannot use an instance of Router. Pass the result of createApp().'),
    );
  });
});

describe('createRouteMetadata', () => {
  it.each([
    [[undefined], 'name of createRouteMetadata() must be a string: got undefined.'],
    [
      ['roles', { merg: () => [] }],
      "createRouteMetadata() has no option 'merg'. Did you mean 'merge'?",
    ],
    [['roles', { merge: true }], 'merge of createRouteMetadata() must be a function: got true.'],
    [
      ['public', { exempts: () => true }],
      'createRouteMetadata() has the option exempts, but no guard. Pass the guard that exempts routes as guard.',
    ],
    [['roles', () => []], 'options of createRouteMetadata() must be an object: got a function.'],
  ])('rejects %o', (values, message) => {
    expect(() => createRouteMetadata(...values)).toThrow(refusal(message));
  });
});

describe('createCustomParamDecorator', () => {
  it.each([
    [undefined, 'undefined'],
    ['user', "'user'"],
    [UsersController, 'the class UsersController'],
  ])('rejects %o', (value, described) => {
    expect(() => createCustomParamDecorator(value)).toThrow(
      refusal(
        `createCustomParamDecorator() cannot use ${described}.\n  Fix: pass a function (ctx) => value.`,
      ),
    );
  });
});
