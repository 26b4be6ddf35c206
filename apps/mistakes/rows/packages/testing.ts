import { Controller, Get } from '@fairlead/controllers';
import { createApp } from '@fairlead/core';
import { type Container, Inject, Service, token } from '@fairlead/di';
import { createTestApp } from '@fairlead/testing';
import { area } from '../../src/mistake.js';

const mistake = area('Tests');

interface Names {
  find(id: string): string;
  list(): string[];
}

const NAMES = token<Names>('Names');

@Controller()
class Users {
  constructor(@Inject(NAMES) readonly names: Names) {}
  @Get()
  list() {
    return this.names.list();
  }
}

@Service()
class Clock {
  now() {
    return 0;
  }
}

const controllers = [Users];
const names: Names = { find: () => 'Ada', list: () => ['Ada'] };
const createMyApp = (container: Container) => {
  container.register(NAMES, { useValue: names });
  return createApp().get('/', () => container.resolve(NAMES).list());
};

mistake(
  '`guardOverrides` with a guard class',
  { compiler: 'TS2322', startup: 'Use overrides: [[DenyGuard' },
  () => {
    class DenyGuard {
      canActivate() {
        return false;
      }
    }
    return createTestApp({
      controllers,
      overrides: [[NAMES, { useValue: names }]],
      guardOverrides: [[DenyGuard, () => true]],
    });
  },
);

mistake('`createTestApp(createMyApp)`', { compiler: 'TS2345', startup: 'must be an object' }, () =>
  createTestApp(createMyApp),
);

mistake(
  '`createTestApp({ app: createMyApp(…) })`, an application',
  { compiler: "'Application", startup: /function/ },
  () => createTestApp({ app: createApp() }),
);

mistake('an `app` that returns no application', { compiler: 'void', startup: /return/ }, () =>
  createTestApp({
    app: () => {
      createApp();
    },
  }),
);

mistake('`createTestApp()`', { compiler: 'arguments', startup: /controllers|object/ }, () =>
  createTestApp(),
);

mistake(
  '`createTestApp({ controller })`',
  { compiler: "'controller'", startup: "Did you mean 'controllers'?" },
  () => createTestApp({ controller: Users }),
);

mistake(
  '`createTestApp({ override })`',
  { compiler: "'override'", startup: "Did you mean 'overrides'?" },
  () => createTestApp({ app: createMyApp, override: [[NAMES, { useValue: {} }]] }),
);

mistake('`createTestApp({ app, controllers })`', { compiler: 'TS2353', startup: 'app' }, () =>
  createTestApp({ app: createMyApp, controllers }),
);

mistake(
  'an override that is not in a list: `overrides: [NAMES, …]`',
  { compiler: 'assignable', startup: /overrides/ },
  () => createTestApp({ app: createMyApp, overrides: [NAMES, { useValue: names }] }),
);

mistake('`overrides` as an object', { compiler: 'TS2353', startup: /overrides/ }, () =>
  createTestApp({ app: createMyApp, overrides: { Names: names } }),
);

mistake('an override without `useValue`', { compiler: 'TS2353', startup: 'useValue' }, () =>
  createTestApp({ app: createMyApp, overrides: [[NAMES, { list: () => [] }]] }),
);

mistake('an override of a token with the same name', { startup: 'token(Names)' }, () =>
  createTestApp({ app: createMyApp, overrides: [[token<Names>('Names'), { useValue: {} }]] }),
);

mistake('an override of a service that nothing uses', { close: 'Clock' }, () =>
  createTestApp({ app: createMyApp, overrides: [[Clock, { useValue: { now: () => 1 } }]] }),
);

mistake('an application that ignores the container of the test', { startup: 'container' }, () =>
  createTestApp({
    app: () => createApp().get('/', () => 1),
    overrides: [[NAMES, { useValue: {} }]],
  }),
);

mistake('a fake without the member that the application calls', { request: "'list'" }, () =>
  createTestApp({ app: createMyApp, overrides: [[NAMES, { useValue: { find: () => 'Bob' } }]] }),
);

mistake(
  'a member of a fake with another type',
  { compiler: 'number', never: 'The types are erased.' },
  () => createTestApp({ app: createMyApp, overrides: [[NAMES, { useValue: { list: () => 7 } }]] }),
);

mistake(
  'a controller whose dependency the test does not register',
  { startup: 'token(Names)' },
  () => createTestApp({ controllers }),
);

mistake(
  '`createTestApp` without `await`',
  { compiler: "'request'", startup: 'app.request is not a function' },
  () => {
    const app = createTestApp({ app: createMyApp });
    return app.request('/');
  },
);

mistake('a request with both `json` and `body`', { startup: 'only one' }, async () => {
  await using app = await createTestApp({ app: createMyApp });
  await app.request('/', { method: 'POST', json: {}, body: '{}' });
});

mistake('a GET request with a body', { startup: 'GET' }, async () => {
  await using app = await createTestApp({ app: createMyApp });
  await app.request('/', { json: {} });
});

mistake('`before` that is not in a list', { compiler: 'assignable', startup: 'array' }, () =>
  createTestApp({ controllers: [], before: (_ctx, next) => next() }),
);

mistake('`register` without a function', { compiler: 'TS2353', startup: 'function' }, () =>
  createTestApp({ controllers: [], register: { names } }),
);

mistake('a test application that is never closed', { never: 'The test runner ends.' }, async () => {
  await createTestApp({ app: createMyApp });
});
