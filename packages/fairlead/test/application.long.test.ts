import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CATS, NOTES } from './support/fixtures.js';
import { LOADER, writeProject } from './support/project.js';

const FIX =
  'build the project, and pass the module in dist. Or pass a loader that compiles TypeScript: --import @oxc-node/core/register\n';
const IMPORT = "import { x } from './config.js';\nx;";
const CONFIG = 'export const x = 1;';
const EXPORT =
  'Export a function createOfflineApp() without parameters, which returns the application for tools: without a port, with a stand-in for the database and a silent log.\n';
const app = (path: string) =>
  `import { createApp } from '@fairlead/core';\nconst create = () => createApp().get('${path}', () => 1);\n`;

describe('the command line', () => {
  it('prints its version and its help', async () => {
    const { run } = await writeProject({});
    const { version } = JSON.parse(
      await readFile(join(import.meta.dirname, '../package.json'), 'utf8'),
    );
    expect(await run('--version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
    const help = await run('--help');
    expect(help).toMatchObject({ status: 0, stderr: '' });
    expect(help.stdout).toMatch(/Commands:\n {2}routes \[options\] \[module\] +list the routes\n/);
    expect(await run('check', '-h')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('--strict'),
    });
  });

  it.each([
    [[], /^Usage: fairlead /],
    [['routs'], /^fairlead: unknown command 'routs'\n\(Did you mean routes\?\)\n$/],
    [['routes', '--jsn'], /^fairlead: unknown option '--jsn'\n\(Did you mean --json\?\)\n$/],
    [['routes', 'a', 'b'], /^fairlead: too many arguments for 'routes'/],
    [['routes', '--import'], /^fairlead: option '--import <loader>' argument missing\n$/],
    [
      ['routes', '--import', '@oxc-node/cor'],
      /^fairlead: Cannot find the module '@oxc-node\/cor' of --import\. Run npm install --save-dev @oxc-node\/cor\.\n$/,
    ],
    [
      ['routes', '--import', './loader.js'],
      /^fairlead: Cannot find the module '\.\/loader\.js' of --import\. Correct the path\.\n$/,
    ],
  ])('exits with 2 when it is wrong: %j', async (args, stderr) => {
    const { run } = await writeProject({ 'src/app.js': app('/') });
    expect(await run(...args)).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(stderr),
    });
  });
});

describe('the application', () => {
  it.each([
    ['src/app.ts', ['src/app.ts', 'src/app.js', 'dist/app.js'], []],
    ['src/app.js', ['src/app.js', 'dist/app.js'], []],
    ['dist/app.js', ['dist/app.js', 'main.js'], []],
    ['main.js', ['src/app.ts', 'main.js'], ['main.js']],
  ])('is that of %s when there are %j and the arguments are %j', async (file, files, args) => {
    const { run } = await writeProject(
      Object.fromEntries(files.map((one) => [one, `${app(`/${one}`)}export default create;`])),
    );
    const { stdout } = await run('routes', '--json', ...args);
    expect(JSON.parse(stdout)).toMatchObject([{ path: `/${file}` }]);
  });

  it.each([
    ['createOfflineApp()', 'export { create as createOfflineApp, create as default };'],
    ['a default function', 'export { create as default, create as createApi };'],
    ['a default application', 'export default create();'],
    ['a promise', 'export default async () => create();'],
    ['the only function without parameters', 'export const createA = (a) => a, createB = create;'],
  ])('may be %s', async (_, text) => {
    const { run } = await writeProject({ 'src/app.js': `${app('/')}${text}` });
    expect(await run('check')).toEqual({
      status: 0,
      stdout: '1 route, no problems.\n',
      stderr: '',
    });
  });

  it.each([
    [
      'export const app = create();',
      `Cannot create the application of src/app.js: it exports no function that creates one. ${EXPORT}`,
    ],
    [
      'export const createA = create, createB = create;',
      `Cannot create the application of src/app.js: it exports several functions that may create it: createA() and createB(). ${EXPORT}`,
    ],
    [
      'export const createA = (container, options) => create();',
      `Cannot create the application of src/app.js: createA() has 2 parameters. ${EXPORT}`,
    ],
    [
      'export const createA = () => 7;',
      'createA() of src/app.js returns 7, which is not an application. Return the result of createApp().\n',
    ],
    [
      'export default { routes() {}, seal() {}, close() {} };',
      expect.stringContaining('an application of another copy of @fairlead/core'),
    ],
  ])('cannot be created: %s', async (text, message) => {
    const { run } = await writeProject({ 'src/app.js': `${app('/')}${text}` });
    const { status, stdout, stderr } = await run('check');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr.replace(/^fairlead: /, '')).toEqual(message);
  });

  it.each([
    [
      'process.exit();',
      'it ends the process. Export createOfflineApp() from a module that does not call process.exit().',
    ],
    [
      'export default () => new Promise(() => {});',
      'what it awaits never happens. Export a function createOfflineApp() that awaits nothing outside of the process.',
    ],
  ])('cannot be created, although there is no error: %s', async (text, reason) => {
    const { run } = await writeProject({ 'src/app.js': text });
    const { status, stdout, stderr } = await run('check');
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`fairlead: Cannot create the application of src/app.js: ${reason}\n`);
  });

  it('may be the default of a module that a compiler has converted to CommonJS', async () => {
    const { run } = await writeProject({
      'app.cjs': `Object.defineProperty(exports, '__esModule', { value: true });
const { createApp } = require('@fairlead/core');
exports.default = createApp().get('/', () => 1);
`,
    });
    expect((await run('check', 'app.cjs')).stdout).toBe('1 route, no problems.\n');
  });

  it('fails the command with a rejection that it leaves unhandled', async () => {
    const { run } = await writeProject({
      'src/app.js': `${app('/')}Promise.reject(new Error('nobody listens'));\nexport default create;`,
    });
    const { status, stderr } = await run('routes');
    expect(status).toBe(1);
    expect(stderr).toContain('Error: nobody listens');
  });

  it('is missing', async () => {
    const { folder, run } = await writeProject({ 'src/a/b.js': '' });
    const fix = 'Pass the path of the module that creates the application, such as src/main.ts.\n';
    expect(await run('routes')).toEqual({
      status: 2,
      stdout: '',
      stderr: `fairlead: There is no src/app.ts, src/app.js or dist/app.js in ${folder}. ${fix}`,
    });
    expect((await run('routes', 'src/a')).stderr).toBe(
      `fairlead: There is no file src/a in ${folder}. ${fix}`,
    );
  });

  it.each([
    [
      '@decorated class App {}\n',
      CONFIG,
      'Node.js cannot run decorators, as in src/app.ts:1.\n  Fix: ',
    ],
    [
      IMPORT,
      CONFIG,
      'an import names src/config.js, but the file is src/config.ts. Node.js does not look for it.\n  Fix: write .ts in the import, which rewriteRelativeImportExtensions in tsconfig.json allows. Or ',
    ],
    [
      IMPORT,
      '@decorated\nexport class x {}',
      'an import names src/config.js, but the file is src/config.ts. Node.js does not look for it.\n  Fix: ',
    ],
    [
      'export enum Color { Red }',
      CONFIG,
      'TypeScript enum is not supported in strip-only mode.\n  Fix: ',
    ],
  ])('needs a loader: %j, with src/config.ts: %j', async (text, config, reason) => {
    const { run } = await writeProject({ 'src/app.ts': text, 'src/config.ts': config });
    expect(await run('check')).toEqual({
      status: 1,
      stdout: '',
      stderr: `Cannot load src/app.ts: ${reason}${FIX}`,
    });
  });

  it('says how to break a cycle of imports that runs a module too early', async () => {
    const { run } = await writeProject({
      'src/app.js':
        "import { createApp } from '@fairlead/core';\nimport './x.js';\nexport default createApp();",
      'src/x.js': "import { Y } from './y.js';\nexport class X extends Y {}",
      'src/y.js': "import { X } from './x.js';\nexport class Y {}\nconsole.log(X);",
    });
    expect(await run('check')).toEqual({
      status: 1,
      stdout: '',
      stderr:
        "Cannot load src/app.js: Cannot access 'X' before initialization.\n  At: src/y.js:3:13\n  Fix: break the import cycle, or declare X before its first use. For a constructor parameter, write @Inject(lazy(() => X)) and the type Lazy<X>.\n",
    });
  });

  it('is created by TypeScript with decorators and a loader', async () => {
    const { run } = await writeProject(CATS);
    expect(await run('check', ...LOADER)).toEqual({
      status: 0,
      stdout: '2 routes, no problems.\n',
      stderr: '',
    });
  });

  it('is closed after use, and its timers do not keep the process running', async () => {
    const { run } = await writeProject({
      'src/app.js': `${app('/')}export default async () => {
  setInterval(() => {}, 1000);
  const app = create();
  await app.plugin({ name: 'x', install() {}, close() { console.log('closed'); } });
  return app;
};`,
    });
    expect((await run('check')).stdout).toBe('closed\n1 route, no problems.\n');
  });

  it('reports what is wrong even if it cannot be closed, either', async () => {
    const text = `${app('/a')}export default async () => {
  const app = create();
  await app.plugin({ name: 'x', install() {}, close() { throw new Error('not connected'); } });
  return app.get('/a/', () => 1);
};`;
    const { run } = await writeProject({ 'src/app.js': text });
    const { status, stderr } = await run('check');
    expect(status).toBe(1);
    expect(stderr).toMatch(/not connected.*\n\nGET \/a\/ matches the same paths/s);
    const closing = await writeProject({ 'src/app.js': text.replace("'/a/'", "'/b'") });
    const result = await closing.run('check');
    expect(result).toMatchObject({ status: 1, stderr: expect.stringContaining('not connected') });
  });

  it('may be written in TypeScript that Node.js runs', async () => {
    const { run } = await writeProject({ 'src/app.ts': NOTES });
    expect((await run('check')).stdout).toBe('3 routes, no problems.\n');
  });
});
