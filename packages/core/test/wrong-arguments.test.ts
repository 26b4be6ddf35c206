import { describe, expect, it, vi } from 'vitest';
import {
  type Application,
  type Context,
  createApp,
  createRouter,
  errorHandler,
  InvalidMiddlewareError,
  intended,
  json,
  type Middleware,
  type Next,
  notFoundHandler,
  type Plugin,
  type Router,
  raw,
  SetupError,
  text,
  urlencoded,
} from '../src/index.js';
import { start } from './support/start.js';

const handler = () => undefined;

class AuthMiddleware {
  handle() {}
}

function usersRouter() {
  return createRouter();
}

function auth(_req: unknown, _res: unknown, next: () => void) {
  next();
}

function onFailure(_error: unknown, _req: unknown, _res: unknown, _next: unknown) {}

/** The types demand a handler. */
const NONE = [] as never;

const PASS = 'Pass functions (ctx, next).';

/** Values that cannot be middleware, as text of the message and with the fix. */
const notMiddleware: readonly (readonly [unknown, string, string])[] = [
  [null, 'null', PASS],
  ['text', "'text'", PASS],
  [{}, 'an object', PASS],
  [undefined, 'undefined', `${PASS} Check the export or the call that returns it.`],
  [Promise.resolve(handler), 'a promise', 'Await it first.'],
  [/^\/x/, 'a regular expression', "Pass a prefix as a string, such as '/users'."],
  [
    AuthMiddleware,
    'the class AuthMiddleware',
    'Pass a function that calls a method of an instance, or use the class with @UseMiddleware() from @fairlead/controllers.',
  ],
  [
    new AuthMiddleware(),
    'an instance of AuthMiddleware',
    'Pass a function that calls its method: (ctx, next) => object.handle(ctx, next).',
  ],
  [
    createApp(),
    'an application',
    'An application cannot be part of another one. Create its routes with createRouter(), and mount that router with app.route().',
  ],
  [{ name: 'metrics', install: handler }, 'an object', 'Install it: await app.plugin(plugin).'],
  [
    auth,
    'the function auth with 3 parameters',
    'Functions are called with (ctx, next). For Express middleware, pass connect(auth) from @fairlead/connect. Otherwise, pass (ctx, next) => auth(ctx, next).',
  ],
  [
    onFailure,
    'the function onFailure with 4 parameters',
    'Functions are called with (ctx, next). To handle errors, pass onError or format to errorHandler(), or catch errors from next().',
  ],
];

/** A call that takes middleware or handlers. */
interface Registration {
  readonly call: string;
  /** The call up to another argument. */
  readonly beginning: string;
  /** The call that mounts a router instead. */
  readonly mount: string;
  readonly register: (...values: never[]) => Application | Router;
}

const registrations: readonly Registration[] = [
  {
    call: 'app.use()',
    beginning: 'app.use(',
    mount: "app.route('/', router)",
    register: (...values) => createApp().use(...values),
  },
  {
    call: "app.use('/a')",
    beginning: "app.use('/a', ",
    mount: "app.route('/a', router)",
    register: (...values) => createApp().use('/a', ...values),
  },
  {
    call: "app.get('/a')",
    beginning: "app.get('/a', ",
    mount: "app.route('/a', router)",
    register: (...values) => createApp().get('/a', ...(values as never)),
  },
  {
    call: "router.get('/a')",
    beginning: "router.get('/a', ",
    mount: "router.route('/a', router)",
    register: (...values) => createRouter().get('/a', ...(values as never)),
  },
  {
    call: 'router.use()',
    beginning: 'router.use(',
    mount: "router.route('/', router)",
    register: (...values) => createRouter().use(...values),
  },
];

describe.each(registrations)('$call', ({ call, beginning, mount, register }) => {
  const refusal = (value: unknown): string => {
    const { message } = new InvalidMiddlewareError(call, value);
    const startWith = (...values: readonly unknown[]) => start(register(...(values as never[])));
    expect(() => startWith(value)).toThrow(InvalidMiddlewareError);
    expect(() => startWith(handler, value)).toThrow(
      expect.objectContaining({
        name: 'InvalidMiddlewareError',
        message: expect.stringContaining(`${message}\n  At: `),
      }),
    );
    return message;
  };

  it.each(notMiddleware)('refuses %o', (value, received, fix) => {
    expect(refusal(value)).toBe(`${call} received ${received}. ${fix}`);
  });

  it('shows the correct call', () => {
    expect(refusal([handler])).toBe(`${call} received an array. Spread it: ${beginning}...array).`);
    expect(refusal(createRouter())).toBe(`${call} received a router. Mount it: ${mount}.`);
    expect(refusal({ middleware: () => handler })).toBe(
      `${call} received an object. Call its method: ${beginning}object.middleware()).`,
    );
    expect(refusal({ middleware: json() })).toBe(
      `${call} received an object. Pass its middleware: ${beginning}object.middleware).`,
    );
  });

  it.each([
    [json, json()],
    [raw, raw()],
    [text, text()],
    [urlencoded, urlencoded()],
    [errorHandler, errorHandler()],
    [notFoundHandler, notFoundHandler()],
  ])('refuses the factory %o, but not what it creates', (factory, created) => {
    const { name } = factory;
    expect(refusal(factory)).toBe(`${call} received the factory ${name}. Call it: ${name}().`);
    expect(() => start(register(created as never))).not.toThrow(InvalidMiddlewareError);
  });
});

describe('a registration without functions', () => {
  it.each<[string, () => Application | Router]>([
    ["app.use('json')", () => createApp().use('json')],
    ["app.get('/a')", () => createApp().get('/a', ...NONE)],
    ["router.post('/a')", () => createRouter().post('/a', ...NONE)],
  ])('%s is an error', (call, register) => {
    expect(() => start(register())).toThrow(
      `${call} received no function. Pass functions (ctx, next).`,
    );
  });
});

it('functions with optional parameters are middleware', () => {
  const middleware = (_ctx: unknown, _next: unknown, _options = {}, ..._rest: unknown[]) => 1;
  expect(() => createApp().use(middleware, middleware.bind(null))).not.toThrow();
});

describe('several paths', () => {
  const refusal = (app: Application) => () => start(app);
  const paths = ['/a', '/b'];

  it.each<[string, (app: Application) => unknown, string]>([
    [
      'app.use() with an array',
      (app) => app.use(paths as never, handler),
      "app.use() received an array of paths. Call it once for each prefix: app.use('/a', …) and app.use('/b', …).",
    ],
    [
      'app.use() with an array that is spread',
      (app) => app.use('/a', '/b' as never, handler),
      "app.use('/a') received '/b'. Call it once for each prefix: app.use('/a', …) and app.use('/b', …).",
    ],
    [
      'app.get() with two patterns',
      (app) => app.get('/a', '/b' as never, handler),
      "app.get('/a') received '/b'. Pass an array of patterns: app.get(['/a', '/b'], …).",
    ],
    [
      'router.use() with a prefix',
      (app) => app.route('/', createRouter().use('/a' as never, handler)),
      "router.use() received '/a'. Middleware of a router has no prefix. Pass functions only, and mount the router below the prefix.",
    ],
    [
      'app.route() with an array',
      (app) => app.route(paths as never, createRouter()),
      'app.route() received an array instead of a prefix. Call it once for each prefix.',
    ],
  ])('%s are an error whose fix works', (_, register, message) => {
    const app = createApp();
    register(app);
    expect(refusal(app)).toThrow(message);
  });
});

describe('functions with more than two parameters', () => {
  const optional = (ctx: Context, next: Next, level?: string) => [ctx, next, level];
  const unnamed = (a: unknown, b: unknown, c?: unknown) => [a, b, c];

  function warningsOf(...functions: readonly Middleware[]): readonly unknown[] {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    for (const one of functions) createApp().use(one);
    return emitWarning.mock.calls.map(([message]) => `${message}`.replace(/\n {2}At: .*/, ''));
  }

  it.each<[string, (...values: never[]) => unknown]>([
    ['(req, res, next)', (_req: unknown, _res: unknown, next: Next) => next()],
    ['(error, req, res, next)', (_e: never, _q: never, _s: never, next: Next) => next()],
    ['(a, b, done)', (_a: unknown, _b: unknown, done: () => void) => done()],
  ])('%s are an error', (_, middleware) => {
    expect(() => start(createApp().use(middleware as never))).toThrow(InvalidMiddlewareError);
  });

  it('may be middleware whose second parameter is next', () => {
    expect(warningsOf(optional)).toEqual([]);
  });

  it('cause a warning if that is unknown, unless they are intended', () => {
    const bound: Middleware = optional.bind(undefined);
    expect(warningsOf(unnamed, bound)).toEqual([
      'app.use() received the function unnamed with 3 parameters. Functions are called with (ctx, next). For Express middleware, pass connect(unnamed) from @fairlead/connect. Otherwise, pass (ctx, next) => unnamed(ctx, next). If the other parameters are optional, pass the function to intended().',
      expect.stringContaining('app.use() received the function bound optional with 3 parameters.'),
    ]);
    vi.restoreAllMocks();
    expect(warningsOf(intended(unnamed), intended(bound))).toEqual([]);
  });
});

it('lists of middleware may be empty when they are spread', async () => {
  const none: Middleware[] = [];
  const app = createApp()
    .use(...none)
    .use('/a', ...none)
    .get('/a', () => 'a');
  expect(await (await app.request('/a')).json()).toBe('a');
});

it('only objects and functions can be intended', () => {
  expect(() => intended('json' as never)).toThrow(
    new SetupError(
      'INVALID_OPTION',
      "intended() received 'json'. Pass the value that the warning names.",
    ),
  );
});

/** Calls a method with arguments that its types forbid. */
function call(
  target: Application | Router,
  method: string,
  ...values: readonly unknown[]
): Application | Router {
  return Reflect.apply(Reflect.get(target, method), target, values);
}

describe('a pattern or prefix that is not a string', () => {
  it.each<[string, readonly unknown[], string]>([
    ['get', [handler], 'get() received the function handler instead of a pattern. Pass a string'],
    ['get', [/x/, handler], 'get() received a regular expression instead of a pattern.'],
    ['get', [[['/a']], handler], "get([['/a']]) received an array instead of a pattern."],
    ['on', ['GET', undefined, handler], 'get() received undefined instead of a pattern.'],
    ['route', [undefined, createRouter()], 'route() received undefined instead of a prefix.'],
    [
      'route',
      [{ method: 'GET', url: '/', handler }],
      "route() received an object instead of a prefix. Pass a string such as '/users' first.",
    ],
    [
      'route',
      [createRouter()],
      'route() received a router instead of a prefix. Pass the prefix first:',
    ],
  ])('%s(...%o) is an error', (method, values, message) => {
    for (const [owner, target] of Object.entries({ app: createApp(), router: createRouter() })) {
      expect(() => start(call(target, method, ...values))).toThrow(
        expect.objectContaining({
          code: 'INVALID_PATTERN',
          message: expect.stringContaining(`${owner}.${message}`),
        }),
      );
    }
  });
});

describe('a method that is not one of HTTP', () => {
  it.each([
    [undefined, 'undefined', ''],
    [5, '5', ''],
    ['FETCH', "'FETCH'", ''],
    ['error', "'error'", ' To receive errors, pass onError to createApp().'],
  ])('%o is an error', (method, shown, hint) => {
    for (const target of [createApp(), createRouter()]) {
      expect(() => start(call(target, 'on', method, handler))).toThrow(
        expect.objectContaining({
          code: 'INVALID_METHOD',
          message: expect.stringContaining(
            `A route cannot handle the method ${shown}. Use 'ALL', or a method from http.METHODS except CONNECT.${hint}\n  At: `,
          ),
        }),
      );
    }
  });
});

describe('a router to mount', () => {
  const pass = 'Pass a router from createRouter().';
  it.each<[unknown, string, string]>([
    [undefined, 'undefined', pass],
    [{}, 'an object', pass],
    [handler, 'the function handler', `call it: OWNER.route('/a', handler()). ${pass}`],
    [usersRouter, 'the function usersRouter', `call it: OWNER.route('/a', usersRouter()). ${pass}`],
    [Promise.resolve(createRouter()), 'a promise', 'Await it first.'],
    [createApp(), 'an application', 'An application cannot be part of another one.'],
  ])('cannot be %o', (value, received, fix) => {
    for (const [owner, target] of Object.entries({ app: createApp(), router: createRouter() })) {
      const message = `${owner}.route('/a') received ${received} instead of a router. `;
      const error = expect.objectContaining({
        code: 'INVALID_ROUTER',
        message: expect.stringContaining(fix.replace('OWNER', owner)),
      });
      call(target, 'route', '/a', value);
      expect(() => start(target)).toThrow(error);
      expect(() => start(target)).toThrow(message);
    }
  });

  it('cannot be nested twice at one prefix', () => {
    const nested = createRouter();
    const router = createRouter().route('/a/:b', nested).route('/a', nested);
    expect(() => start(router.route('/a/:c/', nested))).toThrow(
      expect.objectContaining({
        code: 'ROUTER_MOUNTED_TWICE',
        message: expect.stringContaining(
          "A router is mounted twice at '/a/:c/'. Remove one of the router.route('/a/:c/', router) calls.",
        ),
      }),
    );
  });
});

describe('app.plugin()', () => {
  function createMetrics(): Plugin {
    return { name: 'metrics', install: handler };
  }

  class Metrics implements Plugin {
    readonly name = 'metrics';
    install() {}
  }

  it.each<[unknown, string]>([
    [
      undefined,
      'app.plugin() received undefined without install(). Pass an object with name and install(app).',
    ],
    [
      {},
      'app.plugin() received an object without install(). Pass an object with name and install(app).',
    ],
    [
      createMetrics,
      'app.plugin() received the function createMetrics. If it creates a plugin, call it: app.plugin(createMetrics()).',
    ],
    [
      Metrics,
      'app.plugin() received the class Metrics. Pass an instance: app.plugin(new Metrics()).',
    ],
    [Promise.resolve(createMetrics()), 'app.plugin() received a promise. Await it first.'],
    [
      { install: handler },
      'app.plugin() received an object without a name. Set name to a string that identifies the plugin.',
    ],
    [
      { ...createMetrics(), close: true },
      "The plugin 'metrics' has true as close. Use a function, or omit it.",
    ],
  ])('refuses %o', async (plugin, message) => {
    const app = await createApp().plugin(plugin as never);
    expect(() => app.seal()).toThrow(
      expect.objectContaining({
        code: 'INVALID_PLUGIN',
        message: expect.stringContaining(`${message}\n  At: `),
      }),
    );
  });

  it('accepts an instance of a class', async () => {
    await expect(createApp().plugin(new Metrics())).resolves.toBeDefined();
  });
});
