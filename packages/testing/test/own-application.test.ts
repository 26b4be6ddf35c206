import { Controller, controllersPlugin, Get } from '@fairlead/controllers';
import {
  createApp,
  createRouter,
  errorHandler,
  listen,
  NotFoundError,
  type Plugin,
} from '@fairlead/core';
import { type Container, Inject, Service, token } from '@fairlead/di';
import { describe, expect, it, vi } from 'vitest';
import { createTestApp } from '../src/index.js';

interface Mailer {
  send(to: string): Promise<string>;
}

const MAILER = token<Mailer>('Mailer');

@Service()
class Pool implements Disposable {
  readonly log: string[] = [];

  [Symbol.dispose]() {
    this.log.push('pool disposed');
  }
}

@Controller('/mails')
class MailsController {
  constructor(
    @Inject(MAILER) readonly mailer: Mailer,
    readonly pool: Pool,
  ) {}

  @Get()
  async send() {
    return { sent: await this.mailer.send('Ada') };
  }

  @Get('/broken')
  async fail() {
    await new Promise(setImmediate);
    throw new RangeError('broken');
  }

  @Get('/missing')
  miss() {
    throw new NotFoundError();
  }
}

const seen: unknown[] = [];

/** An application with an error handler and a registration, as `main.ts` would use it. */
async function createMyApp(container: Container, ...plugins: readonly Plugin[]) {
  container.register(MAILER, {
    useFactory: () => {
      throw new Error('the real mailer was built');
    },
  });
  const router = createRouter();
  const app = createApp().use(errorHandler({ onError: (error) => seen.push(error) }));
  for (const plugin of plugins) await app.plugin(plugin);
  await app.plugin(controllersPlugin({ router, container, controllers: [MailsController] }));
  return app.route('/', router);
}

const overrides = [
  [MAILER, { useValue: { send: async (to: string) => `fake to ${to}` } }],
] as const;

describe('an application of your own', () => {
  it('runs with the overrides, whatever it registers later', async () => {
    await using app = await createTestApp({ app: createMyApp, overrides });
    expect(await (await app.request('/mails')).json()).toEqual({ sent: 'fake to Ada' });
  });

  it('may be created synchronously', async () => {
    await using app = await createTestApp({
      app: () => createApp().use((ctx) => ctx.json(ctx.path)),
    });
    expect(await (await app.request('/here')).json()).toBe('/here');
  });

  it('has a container for each test', async () => {
    const [one, two] = await Promise.all([
      createTestApp({ app: createMyApp, overrides }),
      createTestApp({ app: createMyApp, overrides }),
    ]);
    expect(one.container.resolve(Pool)).not.toBe(two.container.resolve(Pool));
    await Promise.all([one.close(), two.close()]);
  });

  it('is closed by close(), and its container is disposed once', async () => {
    const app = await createTestApp({ app: createMyApp, overrides });
    const { log } = app.container.resolve(Pool);
    await app.close();
    await app.close();
    expect(log).toEqual(['pool disposed']);
    await expect(app.request('/mails')).rejects.toMatchObject({ code: 'APPLICATION_CLOSED' });
  });

  it('has its container disposed even if none of its plugins does so', async () => {
    const app = await createTestApp({ app: () => createApp() });
    const { log } = app.container.resolve(Pool);
    await app.close();
    expect(log).toEqual(['pool disposed']);
  });

  it('that fails to start rejects with its error, and has its container disposed', async () => {
    const pools: Pool[] = [];
    const start = createTestApp({
      app: (container) => {
        pools.push(container.resolve(Pool));
        throw new RangeError('no port');
      },
    });
    await expect(start).rejects.toThrow(new RangeError('no port'));
    expect(pools[0]?.log).toEqual(['pool disposed']);
  });

  it('that fails to close still has its container disposed', async () => {
    const failure = new Error('stuck');
    const app = await createTestApp({
      app: (container) =>
        createMyApp(container, {
          name: 'queue',
          install() {},
          close: () => Promise.reject(failure),
        }),
      overrides,
    });
    const { log } = app.container.resolve(Pool);
    await expect(app.close()).rejects.toMatchObject({ errors: [{ cause: failure }] });
    expect(log).toEqual(['pool disposed']);
  });
});

describe('an error hidden from the client', () => {
  it('rejects the call, and reaches the error handler of the application', async () => {
    seen.length = 0;
    await using app = await createTestApp({ app: createMyApp, overrides });
    const outcomes = await Promise.allSettled([
      app.request('/mails/broken'),
      app.request('/mails'),
      app.request('/mails/missing'),
    ]);
    expect(outcomes).toEqual([
      { status: 'rejected', reason: new RangeError('broken') },
      { status: 'fulfilled', value: expect.objectContaining({ status: 200 }) },
      { status: 'fulfilled', value: expect.objectContaining({ status: 404 }) },
    ]);
    expect(seen).toEqual([new RangeError('broken')]);
  });

  it('goes to `onError`, and the call gets the response of the application', async () => {
    const errors: unknown[] = [];
    await using app = await createTestApp({
      app: createMyApp,
      overrides,
      onError: (error, ctx) => errors.push([ctx.path, error]),
    });
    expect((await app.request('/mails/broken')).status).toBe(500);
    expect(errors).toEqual([['/mails/broken', new RangeError('broken')]]);
  });

  it('of another application in the process does not reject a call', async () => {
    const stderr = vi.spyOn(console, 'error').mockReturnValue();
    const other = await listen(
      createApp().use(() => {
        throw new RangeError('elsewhere');
      }),
      0,
    );
    await using app = await createTestApp({
      app: () => createApp().use(async (ctx) => ctx.json((await fetch(other.url)).status)),
    });
    expect(await (await app.request('/')).json()).toBe(500);
    expect(stderr.mock.calls).toEqual([[new RangeError('elsewhere')]]);
    await other.close({ timeout: 0 });
  });
});

describe('app', () => {
  it.each([undefined, {}, { request: 1 }])('must return an application: %j', async (wrong) => {
    const start = createTestApp({ app: () => wrong as never });
    await expect(start).rejects.toThrow('The function passed as app returned no application.');
  });

  it('cannot be combined with options for controllers', async () => {
    const options = { app: createMyApp, overrides, prefix: '/api', strict: true };
    await expect(createTestApp(options as never)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message:
        'createTestApp() cannot combine app with prefix. Configure prefix in the function that creates the application.\n' +
        'createTestApp() cannot combine app with strict. Configure strict in the function that creates the application.',
    });
  });

  it('can be combined with undefined options', async () => {
    const options = { app: createMyApp, overrides, prefix: undefined };
    await using app = await createTestApp(options as never);
    expect((await app.request('/mails')).status).toBe(200);
  });
});

it('an application that an earlier test has closed cannot be used', async () => {
  const app = createApp().get('/', () => 'ok');
  const first = await createTestApp({ app: () => app });
  await first.request('/');
  await first.close();
  await expect(createTestApp({ app: () => app })).rejects.toThrow(
    expect.objectContaining({
      code: 'INVALID_OPTION',
      message:
        'createTestApp() cannot use an application that is closed, as after an earlier test. Create it inside the function, as in createTestApp({ app: () => createMyApp() }).',
    }),
  );
});
