import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeProject } from './support/project.js';

const APP = `import { createApp } from '@fairlead/core';
import { openapi } from '@fairlead/openapi';
const app = createApp();
await app.plugin(openapi({ info: { title: 'Notes', version: '1.0.0' }, docs: false }));
const info = { title: 'None', version: '1.0.0' };
await app.plugin(openapi({ info, path: '/none.json', include: [], docs: false }));
export default app.get('/notes/:id', () => 1);
`;
const NONE = "import { createApp } from '@fairlead/core';\nexport default createApp();";

describe('fairlead openapi', () => {
  it('prints the document, or writes it to a file', async () => {
    const { folder, run } = await writeProject({ 'src/app.js': APP });
    const { stdout, ...rest } = await run('openapi');
    expect(rest).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      info: { title: 'Notes' },
      paths: { '/notes/{id}': {} },
    });
    expect(await run('openapi', '--out', 'openapi.json')).toEqual({
      status: 0,
      stdout: '',
      stderr: 'Wrote openapi.json.\n',
    });
    expect(await readFile(join(folder, 'openapi.json'), 'utf8')).toBe(stdout);
  });

  it('prints YAML, and the document at a path', async () => {
    const { folder, run } = await writeProject({ 'src/app.js': APP });
    const { stdout } = await run('openapi', '--yaml');
    expect(stdout).toMatch(/^openapi: 3\.\S+\ninfo:\n {2}title: Notes\n/);
    expect(await run('openapi', '--out', 'openapi.yaml')).toMatchObject({ status: 0, stdout: '' });
    expect(await readFile(join(folder, 'openapi.yaml'), 'utf8')).toBe(stdout);
    const none = await run('openapi', '--document', '/none.json');
    expect(JSON.parse(none.stdout)).toMatchObject({ info: { title: 'None' }, paths: {} });
  });

  it('exits with 2 when no document has the path', async () => {
    const { run } = await writeProject({ 'src/app.js': APP });
    expect(await run('openapi', '-d', 'none.json')).toEqual({
      status: 2,
      stdout: '',
      stderr:
        "fairlead: The application has no OpenAPI document at 'none.json'. Use '/openapi.json' or '/none.json'.\n",
    });
  });

  it('blames the folder, if it has no application or project', async () => {
    const { folder, run } = await writeProject({ 'src/other.js': '' });
    expect((await run('openapi')).stderr).toBe(
      `fairlead: There is no src/app.ts, src/app.js or dist/app.js in ${folder}. Pass the path of the module that creates the application, such as src/main.ts.\n`,
    );
    await rm(join(folder, 'package.json'));
    expect(await run('openapi')).toEqual({
      status: 2,
      stdout: '',
      stderr: `fairlead: There is no project in ${folder}. Run fairlead in the folder with the package.json of your application.\n`,
    });
  });

  it('exits with 1 when the application has no document', async () => {
    const { run } = await writeProject({ 'src/app.js': NONE });
    const { status, stdout, stderr } = await run('openapi');
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain('The application has no OpenAPI document. Install openapi()');
  });

  it.each([
    [
      'no/openapi.json',
      "Cannot write no/openapi.json: ENOENT: no such file or directory, open 'no/openapi.json'. Use a file in a folder that exists.",
    ],
  ])('exits with 2 when it cannot write %s', async (file, message) => {
    const { run } = await writeProject({ 'src/app.js': APP });
    expect(await run('openapi', '-o', file)).toEqual({
      status: 2,
      stdout: '',
      stderr: `fairlead: ${message}\n`,
    });
  });
});

/** An application whose query, body and response are given. */
const users = (
  query: string,
  body: string,
  response: string,
) => `import { createApp } from '@fairlead/core';
import { openapi } from '@fairlead/openapi';
import { z } from 'zod';
const app = createApp();
await app.plugin(openapi({ info: { title: 'Users', version: '1.0.0' }, docs: false }));
export default app
  .get('/users', { query: z.object({ ${query} }), response: z.array(z.string()) }, () => [])
  .post('/users', { body: z.object({ ${body} }), response: { 201: z.object({ ${response} }) } }, () => ({}));
`;
const BEFORE = users(
  'page: z.coerce.number().optional()',
  'name: z.string()',
  'id: z.string(), name: z.string()',
);
const AFTER = users(
  '',
  'name: z.string(), age: z.int()',
  'id: z.string(), name: z.string(), age: z.int()',
);

const CHANGES = `breaking  POST /users  request body: member "age" is new, and required
maybe     GET /users   query parameter "page": is gone: what clients send may be ignored
safe      POST /users  response 201: member "age" is new
`;

describe('fairlead openapi --against', () => {
  it('reports what has changed since a file, and fails if it breaks clients', async () => {
    const { folder, run } = await writeProject({ 'src/app.js': BEFORE });
    await run('openapi', '--out', 'openapi.json');
    await writeFile(join(folder, 'src/app.js'), AFTER);
    const summary = '1 breaking change, 1 change that may break clients, 1 safe change';
    expect(await run('openapi', '--against', 'openapi.json')).toEqual({
      status: 1,
      stdout: `${CHANGES}\n${summary} since openapi.json.\n`,
      stderr: '',
    });
    const { status, stdout } = await run('openapi', '--against', 'openapi.json', '--json');
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      against: 'openapi.json',
      changes: [
        {
          severity: 'breaking',
          operation: 'POST /users',
          direction: 'request',
          place: 'request body',
          member: 'age',
          message: 'is new, and required',
        },
        expect.objectContaining({ severity: 'maybe', place: 'query parameter "page"' }),
        expect.objectContaining({ severity: 'safe', direction: 'response' }),
      ],
    });
  });

  it('fails for what may break clients, if asked to, and writes the file', async () => {
    const { folder, run } = await writeProject({ 'src/app.js': BEFORE });
    await run('openapi', '--out', 'openapi.yaml');
    await writeFile(
      join(folder, 'src/app.js'),
      BEFORE.replace('page: z.coerce.number().optional()', ''),
    );
    expect((await run('openapi', '--against', 'openapi.yaml')).status).toBe(0);
    const options = ['--against', 'openapi.yaml', '--out', 'openapi.yaml', '--fail-on', 'maybe'];
    expect(await run('openapi', ...options)).toEqual({
      status: 1,
      stdout: expect.stringMatching(/^maybe .*\n\n1 change that may break clients since /),
      stderr: 'Wrote openapi.yaml.\n',
    });
    expect((await run('openapi', ...options)).stdout).toBe('No changes since openapi.yaml.\n');
  });

  it('exits with 1 if one of the documents is not valid', async () => {
    const old = { openapi: '3.1.0', paths: { '/users': { $ref: '#/a' } } };
    const { run } = await writeProject({ 'src/app.js': BEFORE, 'old.json': JSON.stringify(old) });
    expect(await run('openapi', '--against', 'old.json')).toEqual({
      status: 1,
      stdout: '',
      stderr:
        "Cannot use old.json: the document refers to '#/a', which the document does not contain. Correct the reference.\n",
    });
  });

  it.each([
    [
      '--json',
      ['--json'],
      '--json is for a comparison. Add --against, as in --against openapi.json.',
    ],
    [
      '--fail-on',
      ['--fail-on', 'maybe'],
      '--fail-on is for a comparison. Add --against, as in --against openapi.json.',
    ],
    [
      'an unknown severity',
      ['--against', 'a.json', '--fail-on', 'safe'],
      "option '--fail-on <severity>' argument 'safe' is invalid. Allowed choices are breaking, maybe.",
    ],
    [
      '--yaml',
      ['--against', 'a.json', '--yaml'],
      '--yaml is for the document, which --against does not print. Add --out.',
    ],
  ])('exits with 2 for %s', async (_name, args, message) => {
    const { run } = await writeProject({ 'src/app.js': BEFORE });
    const { status, stdout, stderr } = await run('openapi', ...args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`fairlead: ${message}`);
  });
});
