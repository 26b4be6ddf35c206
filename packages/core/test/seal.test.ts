import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { registrationsOf } from '../src/extend.js';
import {
  type Application,
  createApp,
  createRouter,
  InvalidApplicationError,
  InvalidPatternError,
  listen,
  notFoundHandler,
  type Plugin,
  RouteConflictError,
  type Router,
  SetupError,
} from '../src/index.js';

const handler = () => undefined;

/** A plugin whose `ready` throws a value. */
function failing(name: string, error: unknown): Plugin {
  return {
    name,
    install: handler,
    ready() {
      throw error;
    },
  };
}

/** Returns the error that `seal` throws. */
function sealError(app: Application): unknown {
  try {
    app.seal();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** Matches an error by its code and the beginning of its message, which ends with locations. */
function like({ code, message }: SetupError): unknown {
  return expect.objectContaining({ code, message: expect.stringContaining(message) });
}

const conflict = like(new RouteConflictError('GET', '/users/:id', '/users/:name'));
const repeated = like(
  new InvalidPatternError(
    '/posts/:id/:id',
    "the parameter 'id' appears twice. Rename one of them.",
  ),
);
const mountedTwice = like(
  new SetupError(
    'ROUTER_MOUNTED_TWICE',
    "A router is mounted twice at '/b/'. Remove one of the app.route('/b/', router) calls.",
  ),
);

/** An application with a problem of every kind that its registrations can have. */
function createBroken(): Application {
  const twice = createRouter().get('/x', handler).get('/y', handler);
  return createApp()
    .route('/users', createRouter().get('/:id', handler))
    .route('/', createRouter().get('/users/:name', handler))
    .route('/posts/:id', createRouter().get('/:id', handler))
    .route('/b', twice)
    .route('/b/', twice);
}

describe('seal()', () => {
  it('reports the problems of the registrations and of every plugin in one error', async () => {
    const app = createBroken();
    const [first, second, third] = [new Error('No cache.'), new Error('One.'), new Error('Two.')];
    await app.plugin(failing('cache', first));
    await app.plugin(
      failing('several', Object.assign(new Error('2 problems'), { problems: [second, third] })),
    );
    const error = sealError(app);
    expect(error).toBeInstanceOf(InvalidApplicationError);
    expect(error).toMatchObject({
      name: 'InvalidApplicationError',
      code: 'APPLICATION_INVALID',
      problems: [conflict, repeated, mountedTwice, first, second, third],
      message: expect.stringMatching(
        /^The application cannot start: 6 problems\.\n\n {2}1\. GET .*\n\n {2}6\. Two\.$/s,
      ),
    });
  });

  it('throws the error of a plugin as it is if there is nothing else', async () => {
    const app = createApp();
    const error = Object.assign(new Error('2 problems'), { problems: [new Error('a')] });
    await app.plugin(failing('several', error));
    expect(sealError(app)).toBe(error);
  });

  it.each<[string, (app: Application) => Promise<unknown>]>([
    ['listen()', (app) => listen(app, 0)],
    ['request()', (app) => app.request('/')],
    ['fetch()', (app) => app.fetch(new Request('http://localhost/'))],
  ])('makes %s reject with all problems', async (_, call) => {
    await expect(call(createBroken())).rejects.toMatchObject({
      code: 'APPLICATION_INVALID',
      problems: [conflict, repeated, mountedTwice],
    });
  });

  it('reports plugins that are installing together with what is certain already', async () => {
    const app = createBroken();
    const ready = vi.fn();
    await app.plugin({ name: 'waiting', install: handler, ready });
    const installed = ['a', 'b'].map((name) =>
      app.plugin({ name, install: () => Promise.resolve() }),
    );
    expect(sealError(app)).toMatchObject({
      problems: [
        { code: 'PLUGIN_INSTALLING', message: expect.stringContaining("'a'") },
        { code: 'PLUGIN_INSTALLING', message: expect.stringContaining("'b'") },
        conflict,
        repeated,
        mountedTwice,
      ],
    });
    expect(ready).not.toHaveBeenCalled();
    await Promise.all(installed);
    expect(() => app.use(handler)).not.toThrow();
  });

  it('refuses an asynchronous ready(), which could not stop the startup', async () => {
    const app = createApp();
    await app.plugin({
      name: 'slow',
      install: handler,
      ready: async () => {
        throw new Error('Too late.');
      },
    });
    expect(sealError(app)).toEqual(
      new SetupError(
        'INVALID_PLUGIN',
        "ready() of the plugin 'slow' returned a promise. Check synchronously, and do asynchronous work in install().",
      ),
    );
  });

  it.each([
    ['a text', 'broken'],
    ['an error with unrelated problems', Object.assign(new Error('broken'), { problems: ['one'] })],
  ])('reports %s that ready() throws', async (_, thrown) => {
    const app = createApp();
    await app.plugin(failing('odd', thrown));
    expect(sealError(app)).toMatchObject({ message: expect.stringContaining('broken') });
  });
});

describe('registrationsOf()', () => {
  it.each([
    ['is mounted later', (app: Application) => app, 'a router that is mounted later'],
    [
      'is mounted and still empty',
      (app: Application, router: Router) => app.route('/users', router),
      "the router mounted at '/users'",
    ],
    [
      'is nested and still empty',
      (app: Application, router: Router) => app.route('/', createRouter().route('/users', router)),
      "the router mounted at '/'",
    ],
  ])('knows what affects a router that %s', (_place, mount, name) => {
    const router = createRouter();
    const app = mount(createApp().use(notFoundHandler()), router);

    expect(registrationsOf(app).problems).toEqual([]);
    expect(registrationsOf(app, router).problems).toMatchObject([
      { code: 'INVALID_ORDER', message: expect.stringContaining(name) },
    ]);
  });

  it('returns what is certain, and leaves the application open', () => {
    const app = createBroken();
    expect(registrationsOf(app).problems).toEqual([conflict, repeated, mountedTwice]);
    expect(() => app.use(handler)).not.toThrow();
    expect(registrationsOf(createApp()).problems).toEqual([]);
  });
});

describe('a router', () => {
  it('can be mounted at several prefixes', () => {
    const router = createRouter().get('/a', handler);
    const app = createApp().route('/one', router).route('/two', router).route('/ONE', router);
    expect(registrationsOf(app).problems).toEqual([]);
  });

  it('cannot be mounted twice at prefixes that match the same paths', () => {
    const router = createRouter({ caseSensitive: false });
    const app = createApp().route('/one/:a', router).route('/ONE/:b', router);
    expect(registrationsOf(app).problems).toMatchObject([{ code: 'ROUTER_MOUNTED_TWICE' }]);
  });
});

it('an error with several problems is printed once', () => {
  const error = sealError(createBroken());
  // An uncaught error is printed without its custom inspection.
  for (const text of [inspect(error), inspect(error, { customInspect: false })]) {
    expect(text.match(/GET \/users\/:name matches/g)).toHaveLength(1);
  }
  const { message } = error as Error;
  expect(inspect(error)).toMatch(
    `InvalidApplicationError [APPLICATION_INVALID]: ${message}\n    at `,
  );
  expect(inspect(error).split('\n')).toHaveLength(message.split('\n').length + 1);
});
