import { readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { describe } from '../src/extend.js';
import {
  type Application,
  createApp,
  createRouter,
  errorHandler,
  json,
  type Middleware,
  notFoundHandler,
} from '../src/index.js';
import { start } from './support/start.js';

const handler: Middleware = (ctx) => ctx.json(null);
const upgrade = describe<Middleware>(() => undefined, { role: 'websocket' });

const lines = readFileSync(import.meta.filename, 'utf8').split('\n');

/** Returns the lines that a message names, without their columns. */
function linesIn(message: unknown): readonly string[] {
  const places = String(message).matchAll(/\n {2}At: test\/locations\.test\.ts:(\d+):\d+/g);
  return [...places].map(([, line]) => (lines[Number(line) - 1] ?? '').trim());
}

function problemOf(app: Application): unknown {
  try {
    app.seal();
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
}

it.each<[name: string, create: () => Application, ...places: string[]]>([
  [
    'a route that opens WebSocket connections',
    () => {
      const app = createApp();
      app.post('/rooms', upgrade);
      return app;
    },
    "app.post('/rooms', upgrade);",
  ],
  [
    'two routes of different routers, the later first',
    () => {
      const first = createRouter();
      const second = createRouter();
      first.on('GET', '/users/:id', handler);
      second.all('/:name', handler).get('/:name', handler);
      return createApp().route('/', first).route('/users', second);
    },
    "second.all('/:name', handler).get('/:name', handler);",
    "first.on('GET', '/users/:id', handler);",
  ],
  [
    'the mounts of a router, the later first',
    () => {
      const app = createApp();
      const router = createRouter();
      app.route('/a', router);
      app.route('/a/', router);
      return app;
    },
    "app.route('/a/', router);",
    "app.route('/a', router);",
  ],
  [
    'a parameter that its prefix has, too',
    () => {
      const router = createRouter();
      router.get('/posts/:id', handler);
      return createApp().route('/:id', router);
    },
    "router.get('/posts/:id', handler);",
  ],
  [
    'middleware before routes that it hides',
    () => {
      const app = createApp();
      app.use(handler, notFoundHandler());
      return app.get('/', handler);
    },
    'app.use(handler, notFoundHandler());',
  ],
  [
    'middleware after the routes that need it',
    () => {
      const app = createApp().post('/users', handler);
      app.use('/users', json());
      return app;
    },
    "app.use('/users', json());",
  ],
  [
    'a route with misplaced middleware',
    () => {
      const app = createApp();
      app.get('/', errorHandler());
      return app;
    },
    "app.get('/', errorHandler());",
  ],
  [
    'a response schema that does not compile',
    () => {
      const app = createApp({
        compileResponse: () => {
          throw new Error('unknown type');
        },
      });
      app.get('/', { response: { type: 'strng' } }, handler);
      return app;
    },
    "app.get('/', { response: { type: 'strng' } }, handler);",
  ],
])('a problem of the start locates %s', (_, create, ...places) => {
  expect(linesIn(problemOf(create()))).toEqual(places);
});

it('a conflict locates both routes', () => {
  const router = createRouter();
  router.get('/:a', handler);
  router.get('/:b', handler);
  expect(linesIn(problemOf(createApp().route('/', router)))).toEqual([
    "router.get('/:b', handler);",
    "router.get('/:a', handler);",
  ]);
});

it('the stack of a wrong option of a route shows where the route is registered', () => {
  const options: object = { boby: 1 };
  expect(() => start(createApp().post('/', options, handler))).toThrow(
    expect.objectContaining({ stack: expect.stringContaining('test/locations.test.ts:') }),
  );
});

it('a plugin that is still installing is located', async () => {
  const app = createApp();
  const { promise, resolve } = Promise.withResolvers<void>();
  const installed = app.plugin({ name: 'slow', install: () => promise });
  expect(linesIn(problemOf(app))).toEqual([
    "const installed = app.plugin({ name: 'slow', install: () => promise });",
  ]);
  resolve();
  await installed;
});

const limit = () => describe<Middleware>((_ctx, next) => next(), { role: 'middleware' });
const doubtful = () => describe(limit(), { warning: () => 'Its options are doubtful.' });
/** A function with three parameters. */
const unlike = () => ((_a: unknown, _b: unknown, _c: unknown) => {}) as unknown as Middleware;
const number = z.string().transform(Number);
const read = () => describe(limit(), { after: 'set()' });

it.each<[name: string, register: (app: Application) => unknown, place: string]>([
  ['middleware after the routes', (app) => app.use(limit()), '(app) => app.use(limit())'],
  [
    'middleware that runs for no path',
    (app) => app.use('/admin', limit()),
    "(app) => app.use('/admin', limit()),",
  ],
  [
    'a route with idle middleware',
    (app) => app.post('/idle', () => 1, limit()),
    "(app) => app.post('/idle', () => 1, limit()),",
  ],
  [
    'middleware of the application that nothing prepares',
    (app) => app.use('/files', read()).get('/files', handler),
    "(app) => app.use('/files', read()).get('/files', handler),",
  ],
  [
    'a route with middleware that nothing prepares',
    (app) => app.get('/read', read(), handler),
    "(app) => app.get('/read', read(), handler),",
  ],
  [
    'a route with a repeated prefix',
    (app) => app.route('/a', createRouter().get('/a', handler)),
    "(app) => app.route('/a', createRouter().get('/a', handler)),",
  ],
  [
    'a route with an impossible input',
    (app) => app.get('/input', { query: z.object({ since: z.date() }) }, () => 1),
    "(app) => app.get('/input', { query: z.object({ since: z.date() }) }, () => 1),",
  ],
  [
    'a route that an earlier one hides',
    (app) => app.use(limit()).get('/users/me', handler),
    "(app) => app.use(limit()).get('/users/me', handler),",
  ],
  [
    'middleware of the application with doubtful options',
    (app) => app.use(doubtful()).get('/', handler),
    "(app) => app.use(doubtful()).get('/', handler),",
  ],
  [
    'middleware of a router with doubtful options',
    (app) => app.route('/r', createRouter().use(doubtful()).get('/', handler)),
    "(app) => app.route('/r', createRouter().use(doubtful()).get('/', handler)),",
  ],
  [
    'a route with doubtful options of its middleware',
    (app) => app.get('/', doubtful(), handler),
    "(app) => app.get('/', doubtful(), handler),",
  ],
  [
    'middleware with three parameters',
    (app) => app.use(unlike()).get('/', handler),
    "(app) => app.use(unlike()).get('/', handler),",
  ],
  [
    'a handler with three parameters',
    (app) => app.get('/', unlike()),
    "(app) => app.get('/', unlike()),",
  ],
  [
    'a response that JSON Schema cannot describe',
    (app) => app.get('/', { response: number }, () => 1),
    "(app) => app.get('/', { response: number }, () => 1),",
  ],
])('a warning locates %s', (_, register, place) => {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
  const app = createApp().get('/users/:id', () => 1);
  register(app);
  app.seal();
  expect(linesIn(emitWarning.mock.calls[0]?.[0])).toEqual([expect.stringContaining(place)]);
  emitWarning.mockRestore();
});

it('a warning locates the application that sends stacks in production', () => {
  vi.stubEnv('NODE_ENV', 'production');
  const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
  createApp({ includeStack: true }).seal();
  expect(linesIn(emitWarning.mock.calls[0]?.[0])).toEqual([
    'createApp({ includeStack: true }).seal();',
  ]);
  emitWarning.mockRestore();
  vi.unstubAllEnvs();
});

it('a location is found whatever the limit of stacks is, which stays', () => {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  const router = createRouter();
  router.get('/x/:id', handler);
  expect(Error.stackTraceLimit).toBe(0);
  Error.stackTraceLimit = limit;
  const app = createApp().route('/:id', router);
  expect(linesIn(problemOf(app))).toEqual(["router.get('/x/:id', handler);"]);
});

it.each<[name: string, register: (app: Application) => unknown]>([
  ['app.use()', (app) => app.use(limit(), limit())],
  ['app.get()', (app) => app.get('/', handler)],
  ['app.on()', (app) => app.on('GET', '/', { summary: 'Start' }, handler)],
  ['app.route()', (app) => app.route('/', createRouter())],
])('%s captures the stack once', (_, register) => {
  const app = createApp();
  const capture = vi.spyOn(Error, 'captureStackTrace');
  register(app);
  expect(capture).toHaveBeenCalledTimes(1);
  capture.mockRestore();
});
