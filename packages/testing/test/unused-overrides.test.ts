import { Controller, controllersPlugin, Get } from '@fairlead/controllers';
import { createApp, createRouter } from '@fairlead/core';
import { type Container, Inject, Service, token } from '@fairlead/di';
import { describe, expect, it } from 'vitest';
import { createTestApp, type TestApp, UnusedOverrideError } from '../src/index.js';

abstract class UserStore {
  abstract find(): string;
}

const USER_STORE = token<UserStore>('UserStore');

@Service()
class Clock {
  now() {
    return 'noon';
  }
}

@Service()
class Reports {
  list() {
    return ['real'];
  }
}

const store = { find: () => 'Ada' };

@Controller('/users')
class UsersController {
  constructor(
    @Inject(USER_STORE) readonly store: UserStore,
    readonly clock: Clock,
  ) {}

  @Get()
  read() {
    return { name: this.store.find(), at: this.clock.now() };
  }
}

/** Serves the controller, and a route that resolves its service for each request. */
async function createMyApp(container: Container) {
  container.register(USER_STORE, { useFactory: () => store });
  const router = createRouter();
  router.get('/reports', (ctx) => ctx.json(container.resolve(Reports).list()));
  const app = createApp();
  await app.plugin(controllersPlugin({ router, container, controllers: [UsersController] }));
  return app.route('/', router);
}

const controllers = [UsersController];
const fakeStore = [USER_STORE, { useValue: store }] as const;
const fakeReports = [Reports, { useValue: { list: () => ['fake'] } }] as const;

describe('an override that nothing uses', () => {
  it('fails the startup, with the token that was probably meant', async () => {
    const start = createTestApp({
      app: createMyApp,
      overrides: [
        [UserStore, { useValue: store }],
        ['clocks', { useValue: 1 }],
        [Symbol('other'), { useValue: 1 }],
        [USER_STORE, { useValue: store }],
      ],
    });
    const error = await start.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnusedOverrideError);
    expect(error).toMatchObject({
      code: 'UNUSED_OVERRIDE',
      tokens: [UserStore, 'clocks', expect.any(Symbol)],
      message:
        'Nothing uses the override of UserStore (did you mean token(UserStore)?), ' +
        "or of 'clocks' (did you mean Clock?), or of Symbol(other): the application neither " +
        'registered nor resolved the token, and nothing that it started depends on it.\n' +
        '  Fix: override the token that the application uses, or remove the override.',
    });
  });

  it('fails the startup of controllers, also for a class with @Service()', async () => {
    const start = createTestApp({ controllers, overrides: [fakeStore, fakeReports] });
    await expect(start).rejects.toMatchObject({ tokens: [Reports] });
  });

  it('fails close() when code that has the container could have resolved it', async () => {
    const app = await createTestApp({ app: createMyApp, overrides: [fakeReports] });
    expect((await app.request('/users')).status).toBe(200);
    const error = expect.objectContaining({ tokens: [Reports] });
    await expect(app.close()).rejects.toEqual(error);
    await expect(app.close()).rejects.toEqual(error);
    expect(() => app.container.resolve(Clock)).toThrow(
      expect.objectContaining({ code: 'DI_DISPOSED' }),
    );
  });

  it('fails a test with await using', async () => {
    const run = async () => {
      await using app = await createTestApp({ app: createMyApp, overrides: [fakeReports] });
      await app.request('/users');
    };
    await expect(run()).rejects.toThrow(UnusedOverrideError);
  });

  it.each<[string, (app: TestApp) => Promise<unknown>]>([
    ['before its first request', async () => Promise.reject(new Error('of the test'))],
    ['because of a request', async (app) => app.request('/', { json: 1, body: '' })],
  ])('does not hide the error of a test that fails %s', async (_, use) => {
    const run = async () => {
      await using app = await createTestApp({ app: createMyApp, overrides: [fakeReports] });
      await use(app);
    };
    await expect(run()).rejects.toThrow(/of the test|both json and body/);
  });

  it('asks for the container when the application does not use it', async () => {
    const start = createTestApp({ app: () => createApp(), overrides: [fakeStore] });
    await expect(start).rejects.toThrow('Fix: pass the container of the test to the application');
  });

  it('disposes what was built before the startup failed', async () => {
    const log: string[] = [];
    const pool = { [Symbol.dispose]: () => log.push('disposed') };
    const start = createTestApp({
      app: async (container) => {
        container.register('pool', { useFactory: () => pool }, { eager: true });
        return createMyApp(container);
      },
      overrides: [['missing', { useValue: 1 }]],
    });
    await expect(start).rejects.toThrow(UnusedOverrideError);
    expect(log).toEqual(['disposed']);
  });
});

describe('an override counts as used', () => {
  it('when a request resolves its token', async () => {
    await using app = await createTestApp({ app: createMyApp, overrides: [fakeReports] });
    expect(await (await app.request('/reports')).json()).toEqual(['fake']);
  });

  it('when the application registers its token', async () => {
    const app = await createTestApp({
      app: (container) => createMyApp(container.register(Reports)),
      overrides: [fakeReports],
    });
    await expect(app.close()).resolves.toBeUndefined();
  });

  it('when the test resolves its token', async () => {
    await using app = await createTestApp({ app: createMyApp, overrides: [fakeReports] });
    expect(app.container.resolve(Reports).list()).toEqual(['fake']);
  });
});
