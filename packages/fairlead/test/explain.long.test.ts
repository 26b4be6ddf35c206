import { describe, expect, it } from 'vitest';
import { CATS } from './support/fixtures.js';
import { LOADER, writeProject } from './support/project.js';

const APP = `import { createApp, createRouter, json } from '@fairlead/core';
const nothing = () => null;
const log = (ctx, next) => next();
function audit(ctx, next) {
  return next();
}
export default () =>
  createApp()
    .use(log)
    .use('/files', json())
    .use('/api', json())
    .route(
      '/api/users',
      createRouter()
        .use(audit)
        .get('/', nothing)
        .get('/me', nothing)
        .get('/:id', nothing)
        .delete('/:id', nothing)
        .get('/:id/posts', nothing)
        .query('/:id/posts', nothing),
    )
    .route('/files', createRouter({ caseSensitive: false, strict: true }).get('/logo.:format', nothing))
    .route('/files', createRouter().get('/*path', nothing))
    .route('/', createRouter().get('/shadowed', nothing).all('/any/:first', nothing))
    .use(audit);
`;

/** Explains a request to the application above. */
async function explain(method: string, path: string) {
  const { run } = await writeProject({ 'src/app.js': APP });
  const { status, stdout, stderr } = await run('explain', method, path, '--json');
  expect(stderr).toBe('');
  return { status, ...JSON.parse(stdout) };
}

const reasonsIn = ({ others }: { others: { method: string; path: string; reason: string }[] }) =>
  others.map(({ method, path, reason }) => `${method} ${path}: ${reason}`);

describe('fairlead explain', () => {
  it.each([
    ['/users/admin', 'one, two, three'],
    ['/users/ADMIN', 'one, two, three'],
    ['/users/7', 'one, three'],
  ])('prints middleware of a prefix for the paths below it: %s', async (path, expected) => {
    const { run } = await writeProject({
      'src/app.js': `import { createApp } from '@fairlead/core';
const [one, two, three] = ['one', 'two', 'three'].map((name) =>
  Object.defineProperty((ctx, next) => next(), 'name', { value: name }),
);
export default () =>
  createApp()
    .use(one)
    .use('/users/admin', two)
    .use(three)
    .get('/users/:id', () => null)
    .mount('/other', () => new Response());
`,
    });
    const { stdout } = await run('explain', 'GET', path);
    expect(stdout).toContain(`\n  application   ${expected}\n`);
  });

  it('prints the route, what runs before it, and why similar routes do not match', async () => {
    const { run } = await writeProject({ 'src/app.js': APP });
    expect(await run('explain', 'get', '/api/users/a%20b?x=1')).toEqual({
      status: 0,
      stdout: `GET /api/users/a%20b is handled by GET /api/users/:id
  params        id = a b
  application   log, json()
  middleware    audit
  handler       nothing
  file          src/app.js:18:10

METHOD  PATH                  WHY NOT
DELETE  /api/users/:id        it handles DELETE, not GET
GET     /api/users/:id/posts  it has 4 segments, but the path has 3
QUERY   /api/users/:id/posts  it has 4 segments, but the path has 3
GET     /api/users            it has 2 segments, but the path has 3
GET     /api/users/me         segment 3 is 'a%20b', not 'me'
GET     /files/logo.:format   segment 1 is 'api', not 'files'
GET     /files/*path          segment 1 is 'api', not 'files'
GET     /shadowed             segment 1 is 'api', not 'shadowed'
ALL     /any/:first           segment 1 is 'api', not 'any'
`,
      stderr: '',
    });
  });

  it('prints the guards of a class', async () => {
    const { run } = await writeProject(CATS);
    const { stdout } = await run('explain', 'POST', '/cats', ...LOADER);
    expect(stdout).toContain(`
  application   json()
  guards        SignedIn
  schemas       body, 201
  handler       CatsController.add
  file          src/controllers/cats-controller.ts:14:4
`);
  });

  it.each([
    ['HEAD', '/files/a%20b/c%2fd', '/files/*path', { path: 'a b/c%2Fd' }],
    ['GET', '/files/LOGO.png', '/files/logo.:format', { format: 'png' }],
    ['PURGE', '/any/7/', '/any/:first', { first: '7' }],
    ['QUERY', '/api/users/7/posts', '/api/users/:id/posts', { id: '7' }],
  ])('finds the route of %s %s as the application does', async (method, path, pattern, params) => {
    expect(await explain(method, path)).toMatchObject({
      status: 0,
      match: { path: pattern, params },
    });
  });

  it.each([
    [
      'GET',
      '/api/users/me',
      'GET /api/users/:id: it matches, but GET /api/users/me takes precedence',
    ],
    [
      'HEAD',
      '/files/LOGO.png',
      'GET /files/*path: it matches, but GET /files/logo.:format takes precedence',
    ],
    ['GET', '/API/users', "GET /api/users: segment 1 is 'API', not 'api' (case-sensitive)"],
    ['PUT', '/api/users/7', 'GET /api/users/:id: it handles GET, not PUT'],
    [
      'GET',
      '/api/users//posts',
      'GET /api/users/:id/posts: segment 3 is empty, but :id needs a value',
    ],
    ['POST', '/files/logo.png/', 'GET /files/logo.:format: it has 2 segments, but the path has 3'],
    [
      'POST',
      '/files/icon.png',
      "GET /files/logo.:format: segment 2 is 'icon.png', not 'logo.:format'",
    ],
    ['GET', '/', 'GET /shadowed: it has 1 segment, but the path has 0'],
  ])('explains %s %s: %s', async (method, path, reason) => {
    expect(reasonsIn(await explain(method, path))).toContain(reason);
  });

  it.each([
    ['GET', '/unknown', 'No route handles GET /unknown: no pattern matches, which is a 404.'],
    [
      'GET',
      '/shadowd',
      'No route handles GET /shadowd: no pattern matches, which is a 404. Did you mean /shadowed?',
    ],
    [
      'PUT',
      '/shadowed',
      'No route handles PUT /shadowed: the path has routes for other methods, which is a 405.',
    ],
    [
      'OPTIONS',
      '/shadowed',
      'No route handles OPTIONS /shadowed: OPTIONS gets a 204 with the methods of the path.',
    ],
    ['GET', '/api/%', 'No route handles GET /api/%: the path is malformed, which is a 400.'],
  ])('exits with 1 when no route handles %s %s', async (method, path, text) => {
    const { run } = await writeProject({ 'src/app.js': APP });
    const { status, stdout } = await run('explain', method, path);
    expect([status, stdout.split('\n')[0]]).toEqual([1, text]);
  });

  it('lists no more than ten routes, and runs no handler', async () => {
    const { run } = await writeProject({
      'src/app.js': `import { createApp } from '@fairlead/core';
const app = createApp();
for (let index = 0; index < 12; index += 1) app.get(\`/route\${index}\`, () => process.exit(7));
export default app;`,
    });
    const { status, stdout } = await run('explain', 'GET', '/route3', '--json');
    expect(status).toBe(0);
    expect(JSON.parse(stdout).others).toHaveLength(10);
  });

  it('prints the problems of an application that cannot start', async () => {
    const { run } = await writeProject({
      'src/app.js': `import { createApp, createRouter } from '@fairlead/core';
const nothing = () => null;
export default createApp().get('/a', nothing).route('/', createRouter().get('/a', nothing));`,
    });
    const { status, stdout, stderr } = await run('explain', 'GET', '/a');
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain('src/app.js:3');
  });

  it.each([
    [['GET'], "missing required argument 'path'"],
    [['GTE', '/'], "Cannot use the method 'GTE'. Use one such as GET."],
    [['TRACE', '/'], "Cannot use the method 'TRACE'. Use one such as "],
    [['GET', 'users'], "Cannot use the path 'users'. Start it with a slash, as in /users/7."],
  ])('exits with 2 when it is wrong: %j', async (args, message) => {
    const { run } = await writeProject({ 'src/app.js': APP });
    const { status, stdout, stderr } = await run('explain', ...args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`fairlead: ${message}`);
  });
});

it('explains the route of a version', async () => {
  const { run } = await writeProject({
    'src/app.js': `import { createApp } from '@fairlead/core';
import { createVersions } from '@fairlead/core/versions';
const versions = createVersions({ header: 'X-Api-Version', default: '1' });
export default () => createApp({ versions })
  .get('/users', { version: '1' }, function first() {})
  .get('/users', { version: '2' }, function second() {});`,
  });
  expect(await run('explain', 'GET', '/users', '--api-version', '2')).toEqual({
    status: 0,
    stdout: `GET /users is handled by GET /users
  version       2
  handler       second
  file          src/app.js:6:4

METHOD  PATH    VERSION  WHY NOT
GET     /users  1        it is for version 1, not 2
`,
    stderr: '',
  });
  const other = await run('explain', 'HEAD', '/users', '--api-version', '3');
  expect([other.status, other.stdout]).toEqual([
    1,
    expect.stringMatching(
      /^No route handles HEAD \/users: the path has no such version, which is a 400\.\n/,
    ),
  ]);
});
