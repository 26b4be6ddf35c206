import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createProject, install, run } from './support/project.js';

const tarballs = inject('tarballs');
let project: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'fairlead-command-line-'));
  await createProject(project);
  // The packages for controllers and for OpenAPI are optional.
  await install(
    project,
    ['core', 'serve', 'fairlead'].map((name) => tarballs[name] ?? name),
  );
  await mkdir(join(project, 'src'));
  await writeFile(
    join(project, 'src/app.js'),
    `import { createApp } from '@fairlead/core';
export const createNotesApp = () =>
  createApp().get('/notes/:id', function find({ params }) {
    return { id: params.id };
  });
`,
  );
});

beforeAll(() =>
  writeFile(
    join(project, 'openapi.json'),
    JSON.stringify({ openapi: '3.1.0', paths: { '/notes/{id}': { get: { responses: {} } } } }),
  ),
);

afterAll(() => rm(project, { recursive: true, force: true }));

/** Runs the installed program. Returns its exit code and output. */
const fairlead = (...args: readonly string[]) =>
  run(join(project, 'node_modules/.bin/fairlead'), args, project).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );

it.each([
  [
    ['routes'],
    /^METHOD {2}PATH {8}HANDLER {2}FILE\nGET {5}\/notes\/:id {2}find {5}src\/app\.js:3:\d+\n$/,
  ],
  [
    ['explain', 'GET', '/notes/7'],
    /^GET \/notes\/7 is handled by GET \/notes\/:id\n {2}params {8}id = 7\n/,
  ],
  [['check'], /^1 route, no problems\.\n$/],
  [['fetch', '/notes/7'], /^{"id":"7"}$/],
  [['client', 'openapi.json', '--out', 'api.ts'], /^Wrote api\.ts: 1 route\.\n$/],
  [['client', 'openapi.json', '--out', 'api.ts', '--check'], /^api\.ts is up to date\.\n$/],
  [['client', 'openapi.json'], /\n {4}"\/notes\/:id": \{ params: \{ id: string \}; received: /],
  [['new', 'plugin', 'status'], /^Created src\/plugins\/status-plugin\.ts\.\n/],
  [['doctor'], /^(?:ok {7}.+\n){6}$/],
])('the packed program runs fairlead %j', async (args, stdout) => {
  expect(await fairlead(...args)).toEqual({
    code: 0,
    stdout: expect.stringMatching(stdout),
    stderr: '',
  });
});

const NO_OPENAPI =
  /^fairlead: The project does not have @fairlead\/openapi, which describes the routes\. Run npm install @fairlead\/openapi\.\n$/;

it.each([
  [['openapi'], NO_OPENAPI],
  [['client'], NO_OPENAPI],
  [['client', 'no.json'], /^fairlead: Cannot read no\.json: ENOENT: no such file or directory/],
  [['new', 'controller', 'x'], /^fairlead: A controller needs @fairlead\/controllers\. Run /],
  [['upgrade'], /^fairlead: package\.json has no versions of @fairlead packages\. /],
  [['routes', 'src/main.js'], /^fairlead: There is no file src\/main\.js in /],
  [['explain', 'GET', 'notes'], /^fairlead: Cannot use the path 'notes'\. Start it with a slash/],
  [['cheque'], /^fairlead: unknown command 'cheque'\n/],
])('the packed program rejects fairlead %j', async (args, stderr) => {
  expect(await fairlead(...args)).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(stderr),
  });
});
