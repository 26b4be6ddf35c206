import {
  Controller,
  controllersPlugin,
  Get,
  type GuardFn,
  registerController,
} from '@fairlead/controllers';
import { createApp, createRouter, type Middleware } from '@fairlead/core';
import { Container, createContainer } from '@fairlead/di';
import { serveRouter } from '../src/applications.js';
import { area } from '../src/mistake.js';

const mistake = area('Options of the controllers plugin');

@Controller('/users')
class Users {
  @Get()
  list() {
    return [];
  }
}

class AuthGuard {
  canActivate() {
    return false;
  }
}

const controllers = [Users];
const auth: Middleware = (_ctx, next) => next();
const signedIn: GuardFn = () => false;

mistake(
  '`controllersPlugin({ middlewares })`, which turns authentication off',
  { compiler: "'middlewares'", startup: "Did you mean 'middleware'?" },
  () => serveRouter((router) => controllersPlugin({ router, controllers, middlewares: [auth] })),
  '/users',
);

mistake(
  'the same options in a variable',
  { startup: "Did you mean 'middleware'?" },
  () =>
    serveRouter((router) => {
      const options = { router, controllers, middlewares: [auth] };
      return controllersPlugin(options);
    }),
  '/users',
);

mistake(
  '`controllersPlugin({ guard })`',
  { compiler: "'guard'", startup: "Did you mean 'guards'?" },
  () => serveRouter((router) => controllersPlugin({ router, controllers, guard: signedIn })),
  '/users',
);

mistake(
  '`controllersPlugin({ globalPrefix })`',
  { compiler: "'globalPrefix'", startup: "has no option 'globalPrefix'" },
  () => serveRouter((router) => controllersPlugin({ router, controllers, globalPrefix: '/api' })),
  '/api/users',
);

mistake(
  '`controllersPlugin({ dir })` for `root`',
  { compiler: "'dir'", startup: "has no option 'dir'" },
  () => serveRouter((router) => controllersPlugin({ router, dir: './controllers' })),
  '/users',
);

mistake(
  '`controllersPlugin({ guards: AuthGuard })`, not in an array',
  { compiler: 'typeof AuthGuard', startup: 'an array' },
  () => serveRouter((router) => controllersPlugin({ router, controllers, guards: AuthGuard })),
  '/users',
);

mistake(
  '`controllersPlugin({ guards: [new AuthGuard()] })`, an instance',
  { compiler: "'AuthGuard'", startup: 'AuthGuard' },
  () =>
    serveRouter((router) => controllersPlugin({ router, controllers, guards: [new AuthGuard()] })),
  '/users',
);

mistake(
  '`controllersPlugin({ middleware: [undefined] })`, from an import cycle',
  { compiler: "'undefined'", startup: 'import cycle' },
  () =>
    serveRouter((router) => controllersPlugin({ router, controllers, middleware: [undefined] })),
  '/users',
);

mistake(
  '`controllersPlugin({ interceptors: auth })`, not in an array',
  { compiler: "'Middleware", startup: 'an array' },
  () => serveRouter((router) => controllersPlugin({ router, controllers, interceptors: auth })),
  '/users',
);

mistake(
  '`controllersPlugin({ controllers: Users })`, not in an array',
  { compiler: 'typeof Users', startup: 'an array' },
  () => serveRouter((router) => controllersPlugin({ router, controllers: Users })),
  '/users',
);

mistake(
  "`controllersPlugin({ controllers: ['dist/*.js'] })`, as in routing-controllers",
  { compiler: "'string'", startup: 'pass a class' },
  () => serveRouter((router) => controllersPlugin({ router, controllers: ['dist/**/*.js'] })),
  '/users',
);

mistake(
  '`controllersPlugin({ controllers: [new Users()] })`, an instance',
  { compiler: "'Users'", startup: /class/ },
  () => serveRouter((router) => controllersPlugin({ router, controllers: [new Users()] })),
  '/users',
);

mistake(
  '`controllersPlugin({ controllers: [undefined] })`, from an import cycle',
  { compiler: "'undefined'", startup: 'undefined' },
  () => serveRouter((router) => controllersPlugin({ router, controllers: [undefined] })),
  '/users',
);

mistake(
  '`controllersPlugin` without `router`',
  { compiler: "'router'", startup: 'router' },
  () => serveRouter(() => controllersPlugin({ controllers })),
  '/users',
);

mistake(
  '`controllersPlugin({ router: app })`',
  { compiler: 'Application', startup: 'createRouter()' },
  async () => {
    const app = createApp();
    await app.plugin(controllersPlugin({ router: app, controllers }));
    return app;
  },
  '/users',
);

mistake(
  '`controllersPlugin(router)`',
  { compiler: 'Router', startup: 'router' },
  () => serveRouter((router) => controllersPlugin(router)),
  '/users',
);

mistake(
  '`controllersPlugin()`',
  { compiler: 'arguments', startup: 'router' },
  () => serveRouter(() => controllersPlugin()),
  '/users',
);

mistake(
  "`controllersPlugin({ include: '**/*.ts' })`, not in an array",
  { compiler: "'string'", startup: 'array' },
  () =>
    serveRouter((router) => controllersPlugin({ router, root: 'rows', include: '**/*.none.ts' })),
  '/users',
);

mistake(
  "`controllersPlugin({ prefix: ['/api'] })`",
  { compiler: "'string[]'", startup: 'a string' },
  () => serveRouter((router) => controllersPlugin({ router, controllers, prefix: ['/api'] })),
  '/api/users',
);

mistake(
  "`controllersPlugin({ strict: 'true' })`",
  { compiler: "'string'", startup: 'true or false' },
  () => serveRouter((router) => controllersPlugin({ router, controllers, strict: 'true' })),
  '/users',
);

mistake(
  '`controllersPlugin({ validationStatus: 404 })`',
  { compiler: 'TS2353', startup: 'Pass it to createApp()' },
  () => serveRouter((router) => controllersPlugin({ router, controllers, validationStatus: 404 })),
  '/users',
);

mistake(
  '`controllersPlugin({ logger })` without a method `warn`',
  { compiler: "'warn'", startup: 'warn' },
  () => serveRouter((router) => controllersPlugin({ router, controllers, logger: { debug() {} } })),
  '/users',
);

mistake(
  '`controllersPlugin({ container: Container })`, the class',
  { compiler: "'resolve'", startup: /createContainer\(\)|resolve/ },
  () => serveRouter((router) => controllersPlugin({ router, container: Container, controllers })),
  '/users',
);

mistake(
  '`controllersPlugin({ container: createContainer })`, the function not called',
  { compiler: 'TS2322', startup: /createContainer\(\)|resolve/ },
  () =>
    serveRouter((router) => controllersPlugin({ router, container: createContainer, controllers })),
  '/users',
);

mistake(
  '`controllersPlugin({ compileResponse })` instead of `createApp({ compileResponse })`',
  { compiler: 'TS2353', startup: 'Pass it to createApp()' },
  () =>
    serveRouter((router) =>
      controllersPlugin({
        router,
        controllers,
        compileResponse: 'fast-json-stringify',
      }),
    ),
  '/users',
);

mistake(
  '`app.plugin(controllersPlugin)`, not called',
  { compiler: 'TS2345', startup: /[Cc]all/ },
  () => createApp().plugin(controllersPlugin),
  '/users',
);

mistake(
  '`app.use(controllersPlugin(…))`',
  { compiler: 'provides no match for the signature', startup: 'app.plugin' },
  () => createApp().use(controllersPlugin({ router: createRouter(), controllers })),
  '/users',
);

mistake(
  '`registerController(Users, router)`, the arguments swapped',
  { compiler: 'typeof Users', startup: 'registerController' },
  () => registerController(Users, createRouter()),
);

mistake(
  '`registerController(router, new Users())`',
  { compiler: "'Users'", startup: /class/ },
  () => registerController(createRouter(), new Users()),
);

mistake(
  '`registerController(router, Users, { middlewares })`',
  { compiler: "'middlewares'", startup: "Did you mean 'middleware'?" },
  () => {
    const router = createRouter();
    registerController(router, Users, { middlewares: [auth] });
    return createApp().route('/', router);
  },
  '/users',
);
