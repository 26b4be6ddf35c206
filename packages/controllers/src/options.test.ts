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
      versionIn: 'path',
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
      "controllersPlugin() needs a router. Pass a router from createRouter(), mounted with app.route('/', router).",
    ]);
  });

  it.each([
    [router, 'controllersPlugin() cannot use a router as options. Pass { router }.'],
    [
      createContainer(),
      'controllersPlugin() cannot use a container as options. Pass { container }.',
    ],
    [null, 'options of controllersPlugin() must be an object: got null.'],
    ['src', "options of controllersPlugin() must be an object: got 'src'."],
  ])('rejects %s instead of options', (options, problem) => {
    expect(check(options)).toContain(problem);
  });

  it.each([
    [
      { middlewares: [] },
      "controllersPlugin() has no option 'middlewares'. Did you mean 'middleware'?",
    ],
    [
      { router: createApp() },
      "router of controllersPlugin() must be a router from createRouter(), mounted with app.route('/', router): got an instance of Application.",
    ],
    [
      { root: 5 },
      "root of controllersPlugin() must be a path or a file: URL, such as new URL('./controllers/', import.meta.url): got 5.",
    ],
    [
      { root: new URL('http://example.com/') },
      "root of controllersPlugin() must be a path or a file: URL, such as new URL('./controllers/', import.meta.url): got an instance of URL.",
    ],
    [
      { include: '**' },
      "include of controllersPlugin() must be an array of globs, such as ['**/*.controller.js']: got '**'.",
    ],
    [
      { exclude: [/a/] },
      "exclude of controllersPlugin() must be an array of globs, such as ['**/*.controller.js']: got an array.",
    ],
    [{ strict: 'yes' }, "strict of controllersPlugin() must be true or false: got 'yes'."],
    [{ prefix: 1 }, 'prefix of controllersPlugin() must be a string: got 1.'],
    [
      { container: {} },
      'container of controllersPlugin() must be an object with a resolve() method, such as the result of createContainer(): got an object.',
    ],
    [
      { logger: {} },
      'logger of controllersPlugin() must be an object with the methods debug and warn: got an object.',
    ],
    [
      { validationStatus: 422 },
      "controllersPlugin() has no option 'validationStatus'. Pass it to createApp().",
    ],
    [
      { compileResponse: () => '' },
      "controllersPlugin() has no option 'compileResponse'. Pass it to createApp().",
    ],
    [
      { controllers: NoFunction },
      'controllers of controllersPlugin() must be an array of classes: got the class NoFunction.',
    ],
    [
      { middleware: factory },
      'middleware of controllersPlugin() must be an array of functions, classes and tokens: got the function factory.',
    ],
    [
      { middleware: [() => {}, factory] },
      'controllersPlugin() cannot use the function factory as middleware[1], because it is a factory.\n  Fix: call it: factory().',
    ],
    [
      { guards: [undefined] },
      'controllersPlugin() cannot use undefined as guards[0].\n  Fix: pass a function, a class or a token. If an import cycle is the cause, move the import to a separate file.',
    ],
    [
      { guards: [new AuthGuard()] },
      'controllersPlugin() cannot use an instance of AuthGuard as guards[0].\n  Fix: pass the class, or (ctx) => instance.canActivate(ctx).',
    ],
    [
      { interceptors: [AuthGuard] },
      'controllersPlugin() cannot use the class AuthGuard as interceptors[0], because it has no method intercept().\n  Fix: pass it as a guard, because it has canActivate(): to @UseGuard() or the option guards.',
    ],
  ])('rejects %o', (options, problem) => {
    expect(check({ router, ...options })).toEqual([problem]);
  });

  it('reports every problem with the code INVALID_OPTION', () => {
    const options = { strict: 1, debug: 1, guards: [5] } as unknown as ControllersPluginOptions;
    expect(checkPluginOptions(options).map(({ code }) => code)).toEqual(
      Array.from({ length: 4 }, () => 'INVALID_OPTION'),
    );
  });
});
