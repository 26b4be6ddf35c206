import { describe, expect, it, vi } from 'vitest';
import {
  type Application,
  type Context,
  createApp,
  createRouter,
  listen,
  type Plugin,
  SealedError,
  SetupError,
} from '../src/index.js';
import { serve } from './support/serve.js';
import { start } from './support/start.js';

const handler = () => undefined;

const begin: readonly (readonly [string, (app: Application) => Promise<unknown>])[] = [
  ['listen()', (app) => serve(app)],
  ['request()', (app) => app.request('/')],
  ['fetch()', (app) => app.fetch(new Request('http://localhost/'))],
  ['seal()', async (app) => app.seal()],
];

describe.each(begin)('after %s', (_, beginToAnswer) => {
  it('middleware, routers and plugins are rejected with a fix', async () => {
    const app = createApp();
    await beginToAnswer(app);
    expect(() => app.use(handler)).toThrow(new SealedError('app.use()'));
    expect(() => app.route('/', createRouter())).toThrow(new SealedError('app.route()'));
    await expect(app.plugin({ name: 'late', install: handler })).rejects.toThrow(
      new SealedError('app.plugin()'),
    );
  });

  it('every router of the application rejects routes', async () => {
    const nested = createRouter();
    const router = createRouter().route('/nested', nested);
    const app = createApp().route('/', router);
    await beginToAnswer(app);
    expect(() => router.get('/a', handler)).toThrow(new SealedError("router.get('/a')"));
    expect(() => nested.post('/b', handler)).toThrow(new SealedError("router.post('/b')"));
    expect(() => router.use(handler)).toThrow(new SealedError('router.use()'));
    expect(() => router.route('/c', createRouter())).toThrow(new SealedError('router.route()'));
  });
});

describe('registration', () => {
  it('rejects middleware that is not a function', () => {
    expect(() => start(createApp().use(handler, null as never))).toThrow(
      'app.use() received null. Pass functions (ctx, next).',
    );
  });

  it('rejects an invalid prefix', () => {
    expect(() => start(createApp().route('/a//b', createRouter()))).toThrow("The pattern '/a//b'");
  });

  it('can be chained', async () => {
    const app = createApp();
    expect(app.use(handler)).toBe(app);
    expect(app.route('/', createRouter())).toBe(app);
    expect(await app.plugin({ name: 'plugin', install: handler })).toBe(app);
  });
});

describe('a plugin', () => {
  it('is awaited, and registers in order', async () => {
    const app = createApp();
    await app.plugin({
      name: 'response',
      async install(target) {
        await Promise.resolve();
        target.use((ctx) => ctx.send('plugin'));
      },
    });
    app.use((ctx) => ctx.send('after'));
    expect(await (await app.request('/')).text()).toBe('plugin');
  });

  it('that fails to install stops the startup with its error, and is not closed', async () => {
    const app = createApp();
    const error = new Error('No database.');
    const closed: string[] = [];
    const plugin: Plugin = {
      name: 'store',
      install: () => Promise.reject(error),
      close: () => void closed.push('store'),
    };
    await expect(app.plugin(plugin)).rejects.toBe(error);
    await app.close();
    expect(closed).toEqual([]);
  });

  it('that failed to install can be installed again', async () => {
    const app = createApp();
    const install = vi.fn().mockRejectedValueOnce(new Error('No database.'));
    const plugin = { name: 'store', install };
    await expect(app.plugin(plugin)).rejects.toThrow('No database.');
    expect(await app.plugin(plugin)).toBe(app);
  });

  it('is refused by name the second time, even while it installs', async () => {
    const refusal = expect.objectContaining({
      code: 'DUPLICATE_PLUGIN',
      message: expect.stringContaining(
        "Cannot install the plugin 'store' twice. Install each plugin object once, and create another object for a second instance.\n  At: ",
      ),
    });
    const plugin = { name: 'store', install: vi.fn(() => Promise.resolve()) };
    const app = createApp();
    const installed = app.plugin(plugin);
    await app.plugin(plugin);
    await installed;
    expect(() => app.seal()).toThrow(refusal);

    const other = await createApp().plugin(plugin);
    await other.plugin(plugin);
    expect(() => other.seal()).toThrow(refusal);
    expect(plugin.install).toHaveBeenCalledTimes(2);
  });
});

describe('app.close()', () => {
  /** A plugin that logs its close, one turn of the event loop later. */
  const closing = (name: string, log: string[]): Plugin => ({
    name,
    install: handler,
    async close() {
      log.push(`${name} closing`);
      await new Promise(setImmediate);
      log.push(`${name} closed`);
    },
  });

  it('closes plugins in sequence, last installed first', async () => {
    const log: string[] = [];
    const app = createApp();
    await app.plugin(closing('first', log));
    await app.plugin({ name: 'without close', install: handler });
    await app.plugin(closing('second', log));
    await app.close();
    expect(log).toEqual(['second closing', 'second closed', 'first closing', 'first closed']);
  });

  it('closes them once, even if called again', async () => {
    const log: string[] = [];
    const app = createApp();
    await app.plugin(closing('only', log));
    await Promise.all([app.close(), app.close()]);
    await app.close();
    expect(log).toEqual(['only closing', 'only closed']);
  });

  it('closes the others when one fails, and reports every failure', async () => {
    const log: string[] = [];
    const app = createApp();
    const [first, last] = [new Error('first'), new Error('last')];
    const failing = (error: Error): Plugin => ({
      name: error.message,
      install: handler,
      close() {
        throw error;
      },
    });
    await app.plugin(failing(first));
    await app.plugin(closing('middle', log));
    await app.plugin(failing(last));
    await expect(app.close()).rejects.toMatchObject({
      message: 'Plugins failed to close.',
      errors: [
        { message: "The plugin 'last' failed to close.", cause: last },
        { message: "The plugin 'first' failed to close.", cause: first },
      ],
    });
    expect(log).toEqual(['middle closing', 'middle closed']);
  });

  /** A plugin whose `install` settles when the test resolves it. */
  const opening = (log: string[]) => {
    const opened = Promise.withResolvers<void>();
    const plugin: Plugin = {
      name: 'pool',
      async install(app) {
        await opened.promise;
        app.use(handler);
        log.push('pool opened');
      },
      close: () => void log.push('pool closed'),
    };
    return { plugin, open: opened.resolve, fail: opened.reject };
  };

  it('waits for a plugin that is installing, closes it, and stops the startup', async () => {
    const log: string[] = [];
    const app = createApp();
    const { plugin, open } = opening(log);
    await app.plugin(closing('first', log));
    const installed = app.plugin(plugin);
    const closed = app.close();
    open();
    await expect(installed).rejects.toMatchObject({
      code: 'APPLICATION_CLOSED',
      message:
        "Cannot install the plugin 'pool': app.close() was called. Create a new application with createApp().",
    });
    await closed;
    expect(log).toEqual(['pool opened', 'pool closed', 'first closing', 'first closed']);
  });

  it('does not throw the error of a plugin that fails to install', async () => {
    const app = createApp();
    const error = new Error('No database.');
    const { plugin, fail } = opening([]);
    const installed = app.plugin(plugin);
    const closed = app.close();
    fail(error);
    await expect(installed).rejects.toBe(error);
    await expect(closed).resolves.toBeUndefined();
  });

  it.each<[string, (app: Application) => Promise<unknown>]>([
    ['app.plugin()', (app) => app.plugin({ name: 'late', install: handler })],
    ['app.request()', (app) => app.request('/')],
    ['listen()', (app) => serve(app)],
  ])('makes %s fail afterwards', async (_, call) => {
    const answering = createApp();
    answering.seal();
    for (const app of [createApp(), answering]) {
      await app.close();
      await expect(call(app)).rejects.toMatchObject({
        name: 'SetupError',
        code: 'APPLICATION_CLOSED',
        message: expect.stringContaining('app.close() was called'),
      });
    }
  });
});

describe('startup', () => {
  it('fails while a plugin is installing', async () => {
    const app = createApp();
    const installed = app.plugin({ name: 'slow', install: () => Promise.resolve() });
    expect(() => app.seal()).toThrow(
      expect.objectContaining({
        code: 'PLUGIN_INSTALLING',
        message: expect.stringContaining("'slow' is still installing. Await app.plugin()"),
      }),
    );
    await installed;
    expect(() => app.seal()).not.toThrow();
  });

  it('calls ready() once per plugin, after all registrations, and stops at an error', async () => {
    const seen: string[][] = [];
    const problem = new Error('Not so.');
    const app = createApp();
    await app.plugin({
      name: 'checking',
      install: () => undefined,
      ready: (ready) => {
        seen.push(ready.routes().map(({ pattern }) => pattern));
        if (seen.length === 1) throw problem;
      },
    });
    app.route(
      '/late',
      createRouter().get('/', () => undefined),
    );
    await expect(listen(app, 0)).rejects.toBe(problem);
    app.seal();
    app.seal();
    expect(seen).toEqual([['/late'], ['/late']]);
  });
});

it('ready() cannot register anything', async () => {
  const router = createRouter();
  const app = createApp().route('/', router);
  const attempts = [() => app.use(handler), () => router.get('/late', handler)];
  const codes: unknown[] = [];
  await app.plugin({
    name: 'late',
    install: () => undefined,
    ready: () => {
      for (const attempt of attempts) codes.push(codeOf(attempt));
    },
  });
  app.seal();
  expect(codes).toEqual(['APPLICATION_SEALED', 'APPLICATION_SEALED']);
});

it('ctx.app identifies the application', async () => {
  const apps: object[] = [];
  const keep = (ctx: Context) => {
    apps.push(ctx.app);
    ctx.send('');
  };
  const [first, second] = [createApp().use(keep), createApp().use(keep)];
  for (const app of [first, second, first]) await app.request('/');
  expect(apps[0]).toBe(first);
  expect(apps[1]).toBe(second);
  expect(apps[2]).toBe(first);
});

function codeOf(attempt: () => unknown): unknown {
  try {
    return attempt();
  } catch (error) {
    return (error as SetupError).code;
  }
}
