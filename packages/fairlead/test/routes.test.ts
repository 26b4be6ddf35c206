import { expect, it } from 'vitest';
import { CATS, NOTES } from './support/fixtures.js';
import { LOADER, writeProject } from './support/project.js';

it('lists the routes of functions with their middleware, schemas and files', async () => {
  const { run } = await writeProject({ 'src/app.ts': NOTES });
  expect(await run('routes')).toEqual({
    status: 0,
    stdout: `METHOD  PATH        HANDLER  MIDDLEWARE  SCHEMAS    FILE
GET     /notes      list                 2xx        src/app.ts:13:6
GET     /notes/:id  find                            src/app.ts:16:6
POST    /notes      add      signedIn    body, 201  src/app.ts:19:6
`,
    stderr: '',
  });
});

it('reads a package.json with a byte order mark', async () => {
  const { run } = await writeProject({
    'src/app.ts': NOTES,
    'package.json': '\uFEFF{ "type": "module" }',
  });
  expect(await run('routes', '--json')).toMatchObject({ status: 0, stderr: '' });
});

it('lists the routes of classes with their guards', async () => {
  const { run } = await writeProject(CATS);
  expect(await run('routes', ...LOADER)).toEqual({
    status: 0,
    stdout: `METHOD  PATH       HANDLER              GUARDS    SCHEMAS    FILE
GET     /cats/:id  CatsController.find  SignedIn             src/controllers/cats-controller.ts:9:4
POST    /cats      CatsController.add   SignedIn  body, 201  src/controllers/cats-controller.ts:14:4
`,
    stderr: '',
  });
});

it('lists and explains each path and method of a route', async () => {
  const { run } = await writeProject({
    'src/app.js': `import { createApp } from '@fairlead/core';
const show = () => null;
export default createApp().on(['GET', 'PUT'], ['/posts/:year?', '/feed'], show);
`,
  });
  const { stdout } = await run('routes', '--json');
  const routes: { method: string; path: string; file: string }[] = JSON.parse(stdout);
  const paths = ['/posts', '/posts/:year', '/feed'];
  expect(routes.map(({ method, path }) => `${method} ${path}`)).toEqual(
    ['GET', 'PUT'].flatMap((method) => paths.map((path) => `${method} ${path}`)),
  );
  expect(new Set(routes.map(({ file }) => file))).toEqual(new Set(['src/app.js:3:28']));
  const explained = await run('explain', 'GET', '/posts/2026');
  expect(explained.stdout).toContain('is handled by GET /posts/:year');
  expect(explained.stdout).toContain('year = 2026');
});

it('prints JSON', async () => {
  const { run } = await writeProject({ 'src/app.ts': NOTES });
  const { status, stdout } = await run('routes', '--json');
  expect(status).toBe(0);
  expect(JSON.parse(stdout)[2]).toEqual({
    method: 'POST',
    path: '/notes',
    handler: 'add',
    guards: [],
    middleware: ['signedIn'],
    interceptors: [],
    schemas: ['body', '201'],
    file: 'src/app.ts:19:6',
  });
});

it('lists the status of a route without a schema of its response', async () => {
  const { run } = await writeProject({
    'src/app.js': `import { createApp } from '@fairlead/core';
export default createApp().delete('/notes', { status: 204 }, () => undefined);`,
  });
  const [route] = JSON.parse((await run('routes', '--json')).stdout);
  expect(route.schemas).toEqual(['204']);
});

it('says that there are no routes', async () => {
  const { run } = await writeProject({
    'src/app.js': `import { createApp } from '@fairlead/core';\nexport default createApp();`,
  });
  expect((await run('routes')).stdout).toBe('The application has no routes.\n');
});

it('says how to run it for a module of another project', async () => {
  const foreign = 'export default { routes() {}, seal() {}, close() {} };';
  const { run } = await writeProject({
    'api/package.json': '{ "type": "module" }',
    'api/src/app.js': foreign,
  });
  expect(await run('routes', 'api/src/app.js')).toEqual({
    status: 2,
    stdout: '',
    stderr:
      'fairlead: api/src/app.js belongs to the project in api, which has its own packages. Run fairlead in that folder, with the path of the module from there.\n',
  });
});

it('prints the help of a command for help', async () => {
  const { run } = await writeProject({});
  const { status, stdout } = await run('help', 'routes');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^Usage: fairlead routes /);
  expect((await run('routes', '--help')).stdout).toBe(stdout);
});
