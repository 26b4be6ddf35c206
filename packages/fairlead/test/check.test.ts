import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CATS } from './support/fixtures.js';
import { LOADER, writeProject } from './support/project.js';

const IMPORT = "import { createApp, createRouter, errorHandler } from '@fairlead/core';\n";
const BROKEN = `${IMPORT}export default () => {
  const app = createApp();
  for (const path of ['/a', '/b']) {
    for (const name of ['x', 'y']) app.route(path, createRouter().get(\`/:\${name}\`, () => 1));
  }
  return app;
};`;
const WARNED = `${IMPORT}export default () => createApp().get('/', () => 1).use(errorHandler());`;

it('prints all problems of the startup', async () => {
  const { run } = await writeProject({ 'src/app.js': BROKEN });
  const { status, stdout, stderr } = await run('check');
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^The application cannot start: 2 problems\.\n\n {2}1\. .*\/a\/:y/s);
  expect(stderr).toMatch(/\n {2}2\. .*\/b\/:y.*At: src\/app\.js:5:\d+/s);
});

it('prints the problems of controllers', async () => {
  const { run } = await writeProject({
    ...CATS,
    'src/controllers/dogs-controller.ts': `import { Controller, Get } from '@fairlead/controllers';
interface Dogs {}
@Controller('/dogs')
export class DogsController {
  constructor(readonly dogs: Dogs) {}
  @Get('/') list() {}
  @Get('/') all() {}
}`,
  });
  const { status, stderr } = await run('check', ...LOADER);
  expect(status).toBe(1);
  expect(stderr).toMatch(/^The controllers cannot start: 2 problems\.\n.*DogsController.*Fix: /s);
});

it('prints the stack of other errors', async () => {
  const { run } = await writeProject({
    'src/app.js': "export default () => { throw new Error('no'); }",
  });
  const { status, stderr } = await run('check');
  expect(status).toBe(1);
  expect(stderr).toMatch(/^Error: no\n {4}at .*src\/app\.js:1:/);
});

it('prints JSON', async () => {
  const { run } = await writeProject({ 'src/app.js': BROKEN, 'warned.js': WARNED });
  const broken = await run('check', '--json');
  expect(broken).toMatchObject({ status: 1, stderr: '' });
  const conflict = { code: 'ROUTE_CONFLICT', message: expect.stringContaining(':y') };
  expect(JSON.parse(broken.stdout)).toEqual({
    routes: 0,
    problems: [conflict, conflict],
    warnings: [],
  });
  const warned = await run('check', 'warned.js', '--json');
  expect(warned.status).toBe(0);
  expect(JSON.parse(warned.stdout)).toEqual({
    routes: 1,
    problems: [],
    warnings: [{ code: 'FAIRLEAD_ORDER', message: expect.stringContaining('errorHandler') }],
  });
});

/** An application with a warning of the core and one of controllers, which it logs with a function. */
const logged = (warn: string) => `import { controllersPlugin } from '@fairlead/controllers';
import { createApp, createRouter, errorHandler } from '@fairlead/core';
export default async () => {
  const warn = ${warn};
  process.on('warning', (warning) => warn(String(warning)));
  const app = createApp().get('/', () => 1).use(errorHandler());
  await app.plugin(controllersPlugin({ router: createRouter(), logger: { debug() {}, warn } }));
  return app;
};`;

const REPORT = `The application has warnings.

  1. no controllers to register: set root, or pass the options to intended()

  2. errorHandler() cannot catch errors from anything registered before it: the route GET /. Register errorHandler() first, or pass it or the router to intended().
       At: src/app.js:6:45

`;

it.each([
  ['is silent', '() => {}'],
  ['prints them, too', 'console.warn'],
])('prints each warning once if the log of the application %s', async (_name, warn) => {
  const { run } = await writeProject({ 'src/app.js': logged(warn) });
  const summary = '1 route, no problems, 2 warnings.\n';
  expect(await run('check')).toEqual({ status: 0, stdout: summary, stderr: REPORT });
  const failed = '1 route, 2 warnings that fail the check.\n';
  expect(await run('check', '--strict')).toEqual({ status: 1, stdout: failed, stderr: REPORT });
  const { status, stdout, stderr } = await run('check', '--strict', '--json');
  expect([status, stderr]).toEqual([1, REPORT]);
  expect(JSON.parse(stdout).warnings).toEqual([
    { message: expect.stringContaining('no controllers') },
    { code: 'FAIRLEAD_ORDER', message: expect.stringContaining('errorHandler()') },
  ]);
});

it('prints the warnings before the problems', async () => {
  const { run } = await writeProject({
    'src/app.js': logged('() => {}').replace('return app', 'return app.plugin()'),
  });
  const { status, stderr } = await run('check');
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /^The application has warnings\.\n\n {2}1\. no controllers .*\n\napp\.plugin/,
  );
});

it('prints the warnings of a startup that does not end', async () => {
  const { run } = await writeProject({
    'src/app.js': `import { controllersPlugin } from '@fairlead/controllers';
import { createApp, createRouter } from '@fairlead/core';
import { createContainer } from '@fairlead/di';
export default async () => {
  const container = createContainer();
  container.register('queue', { useFactory: () => new Promise(() => {}) }, { eager: true });
  const logger = { debug() {}, warn() {} };
  const plugin = controllersPlugin({ router: createRouter(), container, logger });
  return createApp().plugin(plugin);
};`,
  });
  const { status, stderr } = await run('check');
  expect(status).toBe(1);
  expect(stderr).toContain('Cannot create the application of src/app.js: what it awaits never');
  expect(stderr).toMatch(
    /\n {2}2\. still waiting for 'queue' .*\n {7}Fix: make its factory settle/,
  );
});

it('leaves other warnings to Node.js', async () => {
  const { run } = await writeProject({
    'src/app.js': WARNED.replace('() =>', "() => process.emitWarning('slow', 'Other', 'A1') ||"),
  });
  const { stdout, stderr } = await run('check');
  expect(stdout).toBe('1 route, no problems, 1 warning.\n');
  expect(stderr).toContain('[A1] Other: slow\n');
});

const CONFIGURED = {
  'config.js': `import { defineConfig } from '@fairlead/serve';
import { z } from 'zod';
export class Config extends defineConfig({
  PORT: z.number().default(8080).describe('port to listen on'),
  DATABASE_URL: z.url(),
  API_KEY: z.string().min(32).describe('the key of clients'),
  LEVEL: z.string().optional(),
}) {}
`,
  'src/app.js': `import { createApp } from '@fairlead/core';
import { Config } from '../config.js';
export const createMyApp = (config) => createApp().get('/', () => config.PORT);
export const createOfflineApp = () => createMyApp(new Config({ DATABASE_URL: 'a://b', API_KEY: '-'.repeat(32) }));
`,
  '.env': 'API_KEY=s3cr3t\nDATABSE_URL=postgres://localhost\n',
};

it('lists environment variables without their values, and checks them', async () => {
  const { run } = await writeProject(CONFIGURED, { PORT: '8081' });
  const { status, stdout, stderr } = await run('check', '--env');
  expect(status).toBe(1);
  expect(stdout).toBe(`VARIABLE      STATE            FILE           DESCRIPTION
PORT          set              config.js:4:3  port to listen on; a number
DATABASE_URL  missing          config.js:5:3  a URL
API_KEY       invalid in .env  config.js:6:3  the key of clients; a text of at least 32 characters
LEVEL         unset            config.js:7:3

`);
  expect(stderr).toBe(`Invalid environment variables:
  DATABASE_URL is missing. Did you mean DATABSE_URL, which .env has?
  API_KEY in .env must be a text of at least 32 characters.
  At: config.js:3:29
`);
  const json = await run('check', '--env', '--json');
  expect(json).toMatchObject({ status: 1, stderr: '' });
  expect(json.stdout).not.toContain('s3cr3t');
  expect(JSON.parse(json.stdout)).toMatchObject({
    routes: 1,
    problems: [{ code: 'CONFIG_INVALID', message: expect.stringContaining('DATABASE_URL') }],
    variables: [
      { name: 'PORT', state: 'set', location: 'config.js:4:3', fallback: '8080' },
      { name: 'DATABASE_URL', state: 'missing', required: true },
      { name: 'API_KEY', state: 'invalid', file: '.env' },
      { name: 'LEVEL', state: 'unset' },
    ],
  });
});

it('warns of variables of a file that nothing reads', async () => {
  const API_KEY = '-'.repeat(32);
  const files = {
    ...CONFIGURED,
    '.env': `API_KEY=${API_KEY}\nDATABASE_URL=a://b\nPROT=80\nLEVLE=s3cr3t\nOTHER=1\n`,
  };
  const { run } = await writeProject(files, { LEVELS: 'of another program' });
  const { status, stdout, stderr } = await run('check', '--env');
  expect([status, stdout.split('\n').at(-2)]).toEqual([0, '1 route, no problems, 2 warnings.']);
  expect(stderr).toBe(`The application has warnings.

  1. .env sets LEVLE, which defineConfig() does not read: did you mean LEVEL? If another program reads it, move it to another file.

  2. .env sets PROT, which defineConfig() does not read: did you mean PORT? If another program reads it, move it to another file.

`);
  expect(await run('check')).toMatchObject({ status: 0, stderr: '' });
});

it('tells which configurations it does not check', async () => {
  const { run } = await writeProject({
    ...CONFIGURED,
    'src/settings.js': CONFIGURED['config.js'],
    'src/app.js': `import { createApp } from '@fairlead/core';\nexport default () => createApp();\n`,
  });
  const { status, stderr } = await run('check', '--env');
  expect(status).toBe(0);
  expect(stderr).toContain(
    '1. The application for commands does not import src/settings.js, so the variables of its defineConfig() are not checked. Import it, or run fairlead check --env src/settings.js if',
  );
  const alone = await run('check', '--env', 'src/settings.js');
  expect(alone).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('DATABASE_URL  missing'),
  });
  expect(alone.stderr).toMatch(/^Invalid environment variables:\n {2}DATABASE_URL is missing/);
});

it('needs no variables without --env', async () => {
  const { run } = await writeProject(CONFIGURED);
  expect(await run('check')).toMatchObject({ status: 0, stdout: '1 route, no problems.\n' });
});

it('checks variables besides the application', async () => {
  const valid = { DATABASE_URL: 'a://b', API_KEY: '-'.repeat(32) };
  const { run } = await writeProject(CONFIGURED, valid);
  expect(await run('check', '--env')).toMatchObject({ status: 0, stderr: '' });
  const broken = await writeProject({
    ...CONFIGURED,
    'src/app.js': `import '../config.js';\n${BROKEN}`,
  });
  const { status, stderr } = await broken.run('check', '--env');
  expect(status).toBe(1);
  expect(stderr).toMatch(
    / {2}2\. .*\/b\/:y.*\n\nInvalid environment variables:\n {2}DATABASE_URL/s,
  );
  const none = await writeProject({ 'src/app.js': WARNED });
  expect((await none.run('check', '--env')).stdout).toMatch(/^The application reads no variables/);
});

/** An application with a document, whose options and query are given. */
const documented = (query: string, options = '') => `import { createApp } from '@fairlead/core';
import { openapi } from '@fairlead/openapi';
import { z } from 'zod';
const app = createApp();
await app.plugin(openapi({ info: { title: 'Users', version: '1.0.0' }, docs: false${options} }));
export default app.get('/users', { query: z.object({ ${query} }) }, () => []);`;

const OPTIONAL = 'page: z.string().optional()';

it('fails for a route whose sunset has passed', async () => {
  const deprecated = "{ deprecated: { since: '2020-01-31', sunset: '2020-07-31' } }";
  const { run } = await writeProject({
    'src/app.js': `${IMPORT}export default () => createApp().get('/', ${deprecated}, () => 1);`,
  });
  expect(await run('check')).toEqual({
    status: 1,
    stdout: '1 route, 1 warning that fails the check.\n',
    stderr: expect.stringContaining('The sunset of a deprecated route has passed, on 2020-07-31'),
  });
});

it('fails if the document breaks clients of the one in openapi.json', async () => {
  const { folder, run } = await writeProject({ 'src/app.js': documented(OPTIONAL) });
  await run('openapi', '--out', 'openapi.json');
  expect(await run('check')).toMatchObject({
    status: 0,
    stdout: '2 routes, no problems, no changes since openapi.json.\n',
  });
  await writeFile(join(folder, 'src/app.js'), documented('page: z.string()'));
  expect(await run('check')).toEqual({
    status: 1,
    stdout: '',
    stderr: `Clients of openapi.json may break: 1 breaking change.

  breaking  GET /users  query parameter "page": is required now

If that is intended, run fairlead openapi --out openapi.json, and review the difference of openapi.json.
`,
  });
  const { status, stdout } = await run('check', '--json');
  expect(status).toBe(1);
  expect(JSON.parse(stdout)).toEqual({
    routes: 2,
    problems: [],
    warnings: [],
    document: {
      against: 'openapi.json',
      changes: [expect.objectContaining({ severity: 'breaking', place: 'query parameter "page"' })],
    },
  });
});

it('prints other changes of the document, which fail with --strict if they may break clients', async () => {
  const { folder, run } = await writeProject({
    'src/app.js': documented(OPTIONAL, ", path: '/v1.json'"),
  });
  await run('openapi', '--out', 'docs.yaml');
  await writeFile(join(folder, 'src/app.js'), documented('', ", path: '/v1.json'"));
  const compared = ['check', '--openapi-file', 'docs.yaml', '--document', '/v1.json'];
  const line =
    'maybe  GET /users  query parameter "page": is gone: what clients send may be ignored';
  expect(await run(...compared)).toEqual({
    status: 0,
    stdout: `${line}

2 routes, no problems, 1 change that may break clients since docs.yaml.
To record the changes, run fairlead openapi --document /v1.json --out docs.yaml.
`,
    stderr: '',
  });
  const { status, stderr } = await run(...compared, '--strict');
  expect([status, stderr]).toEqual([1, expect.stringContaining(`\n\n  ${line}\n\n`)]);
});

it('warns that it does not compare the document of another title', async () => {
  const { folder, run } = await writeProject({ 'src/app.js': documented(OPTIONAL) });
  await run('openapi', '--out', 'openapi.json');
  const renamed = documented('page: z.string()').replace("'Users'", "'People'");
  await writeFile(join(folder, 'src/app.js'), renamed);
  const { status, stdout, stderr } = await run('check');
  expect([status, stdout]).toEqual([0, '2 routes, no problems, 1 warning.\n']);
  expect(stderr).toContain(
    "openapi.json describes 'Users', and the application is 'People', so they are not compared.",
  );
  expect((await run('check', '--openapi-file', 'openapi.json')).status).toBe(1);
});

it('compares the document of another API only if it is told to', async () => {
  const { run } = await writeProject({
    'src/app.js': `${IMPORT}export default createApp().get('/', () => 1);`,
    'openapi.json': '{ "openapi": "3.1.0", "paths": { "/other": { "get": {} } } }',
  });
  expect(await run('check')).toMatchObject({ status: 0, stdout: '1 route, no problems.\n' });
  const told = await run('check', '--openapi-file', 'openapi.json');
  expect(told).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('The application has no OpenAPI document.'),
  });
});
