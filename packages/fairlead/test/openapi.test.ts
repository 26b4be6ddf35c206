import { readFile, rm } from 'node:fs/promises';
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
