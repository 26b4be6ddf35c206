import { createApp, createRouter } from '@fairlead/core';
import { describeFactories } from '@fairlead/core/extend';
import { createContainer } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import { type ControllersPluginOptions, checkPluginOptions } from './options.js';

const router = createRouter();

function check(options: unknown): readonly string[] {
  return checkPluginOptions(options as ControllersPluginOptions).map(({ message }) => message);
}

function factory() {
  return () => {};
}
describeFactories(factory);
class NoFunction {}
class AuthGuard {
  canActivate() {
    return true;
  }
}

describe('checkPluginOptions', () => {
  it('accepts every option', () => {
    const options: Required<ControllersPluginOptions> = {
      router,
      root: new URL('./', import.meta.url),
      include: ['**/*.js'],
      exclude: [],
      strict: true,
      prefix: '',
      guards: [AuthGuard, () => true, 'guard'],
      middleware: [() => {}],
      interceptors: [],
      container: createContainer(),
      disposeContainer: false,
      debug: false,
      logger: console,
      controllers: [NoFunction],
    };
    expect(check(options)).toEqual([]);
  });

  it.each([
    { router },
    { router, root: 'src', container: { resolve: () => undefined } },
    { router: createRouter({ strict: true }), logger: undefined },
  ])('accepts %o', (options) => {
    expect(check(options)).toEqual([]);
  });

  it.each([undefined, {}, { router: undefined }])('requires a router: %o', (options) => {
    expect(check(options)).toEqual([
      "controllersPlugin() needs a router. Pass the result of createRouter(), and mount it: app.route('/', router).",
    ]);
  });

  it.each([
    [router, 'a router as options. Pass { router }.'],
    [createContainer(), 'a container as options. Pass { container }.'],
    [null, 'null as options. Pass an object.'],
    ['src', "'src' as options. Pass an object."],
  ])('rejects %s instead of options', (options, problem) => {
    expect(check(options)).toContain(`controllersPlugin() cannot use ${problem}`);
  });

  it.each([
    [{ middlewares: [] }, "has no option 'middlewares'. Did you mean 'middleware'?"],
    [
      { router: createApp() },
      "cannot use an instance of Application as router. Use the result of createRouter(), and mount it: app.route('/', router).",
    ],
    [
      { root: 5 },
      "cannot use 5 as root. Use a path or a file: URL, such as new URL('./controllers/', import.meta.url).",
    ],
    [
      { root: new URL('http://example.com/') },
      "cannot use an instance of URL as root. Use a path or a file: URL, such as new URL('./controllers/', import.meta.url).",
    ],
    [
      { include: '**' },
      "cannot use '**' as include. Use an array of globs, such as ['**/*.controller.js'].",
    ],
    [
      { exclude: [/a/] },
      "cannot use an array as exclude. Use an array of globs, such as ['**/*.controller.js'].",
    ],
    [{ strict: 'yes' }, "cannot use 'yes' as strict. Use true or false."],
    [{ prefix: 1 }, 'cannot use 1 as prefix. Use a string.'],
    [
      { container: {} },
      'cannot use an object as container. Use an object with a resolve() method, such as the result of createContainer().',
    ],
    [
      { logger: {} },
      'cannot use an object as logger. Use an object with the methods debug and warn.',
    ],
    [{ validationStatus: 422 }, "has no option 'validationStatus'. Pass it to createApp()."],
    [{ compileResponse: () => '' }, "has no option 'compileResponse'. Pass it to createApp()."],
    [
      { controllers: NoFunction },
      'cannot use the class NoFunction as controllers. Use an array of classes.',
    ],
    [
      { middleware: factory },
      'cannot use the function factory as middleware. Use an array of functions, classes and tokens.',
    ],
    [
      { middleware: [() => {}, factory] },
      'cannot use the function factory as middleware[1], because it is a factory.\n  Fix: call it: factory().',
    ],
    [
      { guards: [undefined] },
      'cannot use undefined as guards[0].\n  Fix: pass a function, a class or a token. If an import cycle is the cause, move the import to a separate file.',
    ],
    [
      { guards: [new AuthGuard()] },
      'cannot use an instance of AuthGuard as guards[0].\n  Fix: pass the class, or (ctx) => instance.canActivate(ctx).',
    ],
    [
      { interceptors: [NoFunction] },
      'cannot use the class NoFunction as interceptors[0], because it has no method intercept().\n  Fix: add a method intercept(ctx, next) to the class.',
    ],
  ])('rejects %o', (options, problem) => {
    expect(check({ router, ...options })).toEqual([`controllersPlugin() ${problem}`]);
  });

  it('reports every problem with the code INVALID_OPTION', () => {
    const options = { strict: 1, debug: 1, guards: [5] } as unknown as ControllersPluginOptions;
    expect(checkPluginOptions(options).map(({ code }) => code)).toEqual(
      Array.from({ length: 4 }, () => 'INVALID_OPTION'),
    );
  });
});
