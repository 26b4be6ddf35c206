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

it('says that there are no routes', async () => {
  const { run } = await writeProject({
    'src/app.js': `import { createApp } from '@fairlead/core';\nexport default createApp();`,
  });
  expect((await run('routes')).stdout).toBe('The application has no routes.\n');
});
