import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CATS } from './support/fixtures.js';
import { LOADER, writeProject } from './support/project.js';

const IMPORT = `import { createApp } from '@fairlead/core';
import { secured } from '@fairlead/openapi';
const BEARER = { name: 'bearer', scheme: { type: 'http', scheme: 'bearer' } };
const signedIn = secured(function signedIn(ctx, next) { return next(); }, BEARER);
`;
const LOCKED = `${IMPORT}export default () => createApp({ access: 'declared' })
  .get('/prices', { public: 'Everyone may see them.' }, () => 1)
  .get('/orders', function log(ctx, next) { return next(); }, signedIn, () => 1);`;

describe('fairlead access', () => {
  it('shows what runs before each route, with the place of each', async () => {
    const { run } = await writeProject({ 'src/app.js': LOCKED });
    const { status, stdout } = await run('access');
    expect(status).toBe(0);
    const places = stdout.replaceAll(/\d+:\d+/g, '0:0');
    expect(places).toBe(`GET /prices  src/app.js:0:0
  public: Everyone may see them.

GET /orders  src/app.js:0:0
  middleware  log                 src/app.js:0:0
  middleware  signedIn()  bearer  src/app.js:0:0
`);
    const { stdout: json } = await run('access', '--json');
    expect(JSON.parse(json)).toEqual([
      { route: 'GET /prices', public: 'Everyone may see them.', steps: [], at: expect.any(String) },
      {
        route: 'GET /orders',
        steps: [
          { kind: 'middleware', name: 'log', needs: [[]], at: expect.any(String) },
          { kind: 'middleware', name: 'signedIn()', needs: [['bearer']], at: expect.any(String) },
        ],
        at: expect.any(String),
      },
    ]);
  });

  it('shows what runs for some requests of a route, which decides for them only', async () => {
    const create = (registered: string) => `${IMPORT}const log = (ctx, next) => next();
export default () => createApp().use(log)${registered}.use(log).get('/orders/:id', () => 1);`;
    const { folder, run } = await writeProject({
      'src/app.js': create(".use('/orders/all', signedIn)"),
    });
    const { stdout } = await run('access');
    expect(stdout.replaceAll(/ +src.*/g, '')).toContain(`GET /orders/:id
  middleware  log
  middleware  signedIn() below /orders/all  bearer
  middleware  log
`);
    await run('access', '--lock');
    await writeFile(join(folder, 'src/app.js'), create(''));
    expect((await run('check')).stderr).toContain(
      'GET /orders/:id: the middleware signedIn() below /orders/all (bearer) does not run for it anymore.',
    );
    await writeFile(
      join(folder, 'src/app.js'),
      create(".use('/orders/all', secured(signedIn, { ...BEARER, scopes: ['all'] }))"),
    );
    await run('access', '--lock');
    await writeFile(join(folder, 'src/app.js'), create(".use('/orders/all', signedIn)"));
    expect((await run('check')).stderr).toContain('lets requests with bearer pass, too.');
    await writeFile(join(folder, 'src/app.js'), create('.use(signedIn)'));
    await run('access', '--lock');
    await writeFile(join(folder, 'src/app.js'), create(".use('/orders/all', signedIn)"));
    expect((await run('check')).stderr).toContain(
      'GET /orders/:id: the middleware signedIn() (bearer) does not run for it anymore.',
    );
  });

  it('shows the guards of controllers', async () => {
    const { run } = await writeProject(CATS);
    const { stdout } = await run('access', ...LOADER);
    expect(stdout).toMatch(
      /^GET \/cats\/:id {2}.*\n {2}middleware {2}json\(\).*\n {2}guard .*SignedIn/m,
    );
    expect(stdout).toMatch(/nothing decides who may call it/);
  });

  it('shows guards before middleware that runs after them', async () => {
    const { run } = await writeProject({
      'src/app.js': `import { controllersPlugin, defineController } from '@fairlead/controllers';
import { createApp, createRouter } from '@fairlead/core';
import { describe } from '@fairlead/core/extend';
const pass = (name) => Object.defineProperty((ctx, next) => next(), 'name', { value: name });
const late = describe(pass('late'), { role: 'middleware', afterGuards: true });
const routes = ({ post }) => ({ add: post('/', { middleware: [pass('first'), late, pass('last')] }, () => 1) });
const isAdmin = () => true;
const orders = defineController('/orders', { guards: [isAdmin], routes });
const router = createRouter();
const app = createApp().route('/', router);
await app.plugin(controllersPlugin({ router, controllers: [orders] }));
export default app;`,
    });
    const { stdout } = await run('access');
    expect(stdout.match(/^ {2}(?:middleware|guard) +\S+/gm)).toEqual([
      '  middleware  first',
      '  guard       isAdmin',
      '  middleware  late()',
      '  middleware  last',
    ]);
  });
});

describe('fairlead check', () => {
  it('compares access with the lock', async () => {
    const { folder, run } = await writeProject({ 'src/app.js': LOCKED });
    expect((await run('access', '--lock')).stdout).toBe('Wrote access.lock.json: 2 routes.\n');
    expect((await run('check')).stdout).toMatch(/^2 routes, no problems\.\n/);
    expect(JSON.parse((await run('check', '--json')).stdout)).toMatchObject({ access: [] });

    const file = join(folder, 'src/app.js');
    await writeFile(file, (await readFile(file, 'utf8')).replace("{ access: 'declared' }", ''));
    expect((await run('check')).status).toBe(0);

    const text = await readFile(file, 'utf8');
    await writeFile(file, `${text.replace(', signedIn,', ',').replace('/prices', '/price')}`);
    const { status, stderr } = await run('check');
    expect(status).toBe(1);
    expect(stderr).toBe(`Access is weaker than access.lock.json.

  1. GET /orders: the middleware signedIn() (bearer) does not run for it anymore.

Access has changed since access.lock.json.

  1. GET /price: is new: everyone may call it, "Everyone may see them.".
  2. GET /prices: is gone.

If that is intended, run fairlead access --lock, and review the difference of access.lock.json.
`);
    const json = await run('check', '--json');
    expect(json.status).toBe(1);
    expect(JSON.parse(json.stdout).access).toHaveLength(3);
  });

  it('takes another file, which has to exist and to be a lock', async () => {
    const { folder, run } = await writeProject({ 'src/app.js': LOCKED });
    expect((await run('access', '--lock', '--lock-file', 'a.json')).status).toBe(0);
    expect((await run('check', '--lock-file', 'a.json')).status).toBe(0);
    const missing = await run('check', '--lock-file', 'b.json');
    expect([missing.status, missing.stderr]).toEqual([2, expect.stringContaining('b.json')]);
    await writeFile(join(folder, 'access.lock.json'), '<<<<<<<');
    const broken = await run('check');
    expect(broken.status).toBe(2);
    expect(broken.stderr).toMatch(/access\.lock\.json is not a lock of access: /);
    expect((await run('access', '--lock-file', 'a.json')).status).toBe(2);
  });
});
