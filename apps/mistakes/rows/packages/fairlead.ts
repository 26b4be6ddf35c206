import { area } from '../../src/mistake.js';
import { runCommand } from '../../src/program.js';

const mistake = area('The command line');

/** An application of functions. */
const APP = `import { createApp } from '@fairlead/core';
export const createMyApp = () => createApp().get('/users/:id', ({ params }) => params);
`;

/** Runs a command in a project with such an application. */
const run = (...args: readonly string[]) => runCommand({ 'src/app.ts': APP }, ...args);

/** Checks an application that a module creates in another way. */
const check = (source: string, files: Readonly<Record<string, string>> = {}) =>
  runCommand({ 'src/app.ts': source, ...files }, 'check');

mistake('`fairlead chekc`', { startup: 'Did you mean check?' }, () => run('chekc'));

mistake('`fairlead check --strcit`', { startup: 'Did you mean --strict?' }, () =>
  run('check', '--strcit'),
);

mistake('`fairlead check --port 8080`, an option of the service', { startup: "'--port'" }, () =>
  run('check', '--port', '8080'),
);

mistake('`fairlead check` in a project without `src/app.ts`', { startup: /src\/main\.ts/ }, () =>
  runCommand({ 'src/main.ts': APP }, 'check'),
);

mistake('`fairlead check src/mian.ts`', { startup: 'no file src/mian.ts' }, () =>
  run('check', 'src/mian.ts'),
);

mistake(
  'a module that starts the server, and exports nothing',
  { startup: 'Export a function' },
  () =>
    check(`import { createApp, listen } from '@fairlead/core';
const server = await listen(createApp().get('/', () => 1), 0);
await server.close();
`),
);

mistake(
  'a function that needs a configuration, without `createOfflineApp()`',
  { startup: 'createOfflineApp()' },
  () => check(APP.replace('= () =>', '= (config: object) =>')),
);

mistake('two functions that create applications', { startup: 'createOfflineApp()' }, () =>
  check(`${APP}export const createAdminApp = createMyApp;\n`),
);

mistake('`createMyApp()` does not return the application', { startup: 'undefined' }, () =>
  check(`import { createApp } from '@fairlead/core';
export function createMyApp() {
  createApp().get('/', () => 1);
}
`),
);

mistake('`createMyApp()` returns `{ app }`', { startup: 'returns an object' }, () =>
  check(`import { createApp } from '@fairlead/core';
export const createMyApp = () => ({ app: createApp().get('/', () => 1) });
`),
);

mistake(
  '`createOfflineApp()` is not exported',
  {
    startup: 'it exports no function',
  },
  () =>
    check(`import { createApp } from '@fairlead/core';
const createOfflineApp = () => createApp().get('/', () => 1);
`),
);

mistake('decorators without a loader', { startup: '--import @oxc-node/core/register' }, () =>
  check(
    `import './users-controller.ts';
${APP}`,
    {
      'src/users-controller.ts': `import { Controller, Get } from '@fairlead/controllers';
@Controller('/users')
export class UsersController {
  @Get()
  list() {
    return [];
  }
}
`,
    },
  ),
);

mistake('`fairlead check --import tsx`, which is not installed', { startup: "'tsx'" }, () =>
  run('check', '--import', 'tsx'),
);

mistake('an import that ends in `.js`, without a build', { startup: 'src/users.ts' }, () =>
  check(`import './users.js';\n${APP}`, { 'src/users.ts': '' }),
);

mistake('an enum, without a build', { startup: 'build the project' }, () =>
  check(`enum Role { Admin }\n${APP}`),
);

mistake(
  '`createOfflineApp()` reads the environment of production',
  { startup: 'DATABASE_URL' },
  () =>
    check(`import { createApp } from '@fairlead/core';
export function createOfflineApp() {
  if (process.env.DATABASE_URL === undefined) throw new Error('DATABASE_URL is missing.');
  return createApp();
}
`),
);

mistake('`fairlead explain /users/7` without a method', { startup: /path/ }, () =>
  run('explain', '/users/7'),
);

mistake('`fairlead explain GET users/7` without a slash', { startup: '/users/7' }, () =>
  run('explain', 'GET', 'users/7'),
);

mistake('`fairlead fetch http://localhost:8080/users/7`', { startup: /slash/ }, () =>
  run('fetch', 'http://localhost:8080/users/7'),
);

mistake("`fairlead fetch /users/7 -H 'Accept text/html'`", { startup: 'colon' }, () =>
  run('fetch', '/users/7', '-H', 'Accept text/html'),
);

mistake(
  '`fairlead fetch /users -d @user.json`, and there is no such file',
  { startup: 'user.json' },
  () => run('fetch', '/users', '-d', '@user.json'),
);

mistake('`fairlead openapi` without the plugin `openapi()`', { startup: 'openapi(' }, () =>
  run('openapi'),
);

mistake('`fairlead openapi --out missing/openapi.json`', { startup: 'missing/openapi.json' }, () =>
  runCommand(
    {
      'src/app.ts': `import { createApp } from '@fairlead/core';
import { openapi } from '@fairlead/openapi';
export async function createMyApp() {
  const app = createApp();
  await app.plugin(openapi({ info: { title: 'Users', version: '1.0.0' } }));
  return app;
}
`,
    },
    ...['openapi', '--out', 'missing/openapi.json'],
  ),
);

mistake('`fairlead new contoller users`', { startup: 'Did you mean controller?' }, () =>
  run('new', 'contoller', 'users'),
);

mistake('`fairlead new controller users/admin`', { startup: 'hyphens' }, () =>
  run('new', 'controller', 'users/admin'),
);

mistake('`fairlead new controller users`, and the file exists', { startup: 'exists' }, () =>
  runCommand(
    {
      'package.json': '{ "type": "module", "dependencies": { "@fairlead/controllers": "*" } }',
      'src/controllers/users-controller.ts': '',
    },
    ...['new', 'controller', 'users'],
  ),
);
