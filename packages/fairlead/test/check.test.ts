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

it('counts warnings of controllers', async () => {
  const { run } = await writeProject({
    'src/app.js': `import { controllersPlugin } from '@fairlead/controllers';
import { createApp, createRouter } from '@fairlead/core';
export default async () => {
  const app = createApp();
  await app.plugin(controllersPlugin({ router: createRouter() }));
  return app;
};`,
  });
  const { stdout, stderr } = await run('check');
  expect(stdout).toBe('0 routes, no problems, 1 warning.\n');
  expect(stderr).toBe(
    '[controllers] no controllers to register: set root, or pass the options to intended()\n',
  );
  const strict = await run('check', '--strict', '--json');
  expect(strict.status).toBe(1);
  expect(JSON.parse(strict.stdout).warnings).toEqual([
    { message: expect.stringContaining('no controllers') },
  ]);
});

it('counts warnings, and fails on them with --strict', async () => {
  const { run } = await writeProject({ 'src/app.js': WARNED });
  const { stdout, stderr, ...rest } = await run('check');
  expect({ stdout, ...rest }).toEqual({ status: 0, stdout: '1 route, no problems, 1 warning.\n' });
  expect(stderr).toContain('[FAIRLEAD_ORDER] FairleadWarning: ');
  expect(await run('check', '--strict')).toMatchObject({ status: 1, stdout });
});
