import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { published } from './support/packages.js';
import { run } from './support/project.js';

const tarballs = inject('tarballs');
const folderOf = (name: string) => join(project, 'node_modules/@fairlead', name);
let project: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'fairlead-tarballs-'));
  await Promise.all(
    published.map(async (name) => {
      await mkdir(folderOf(name), { recursive: true });
      await run('tar', ['-xzf', tarballs[name] ?? name, '--strip-components=1'], folderOf(name));
    }),
  );
});

afterAll(() => rm(project, { recursive: true, force: true }));

it.each(published)('a tarball has code, types and documents, and no source: %s', (name) => {
  const files = globSync('**/*.*', { cwd: folderOf(name), exclude: ['templates/**'] });
  const modules = globSync('dist/*.{js,d.ts}', { cwd: folderOf(name) });
  const documents = ['AGENTS.md', 'README.md'];
  expect(files.toSorted()).toEqual([...documents, ...modules, 'package.json'].toSorted());
});

it.each(published)('no file of a tarball refers to a source map: %s', (name) => {
  const referring = globSync('dist/**/*', { cwd: folderOf(name) }).filter((file) =>
    readFileSync(join(folderOf(name), file), 'utf8').includes('sourceMappingURL='),
  );
  expect(referring).toEqual([]);
});

it('a stack trace names files that exist in the installed package', async () => {
  await writeFile(
    join(project, 'app.mjs'),
    `import { createApp } from '@fairlead/core';
     try { createApp({ unknown: true }); } catch (error) { console.log(error.stack); }`,
  );
  const { stdout } = await run(process.execPath, ['--enable-source-maps', 'app.mjs'], project);
  const frames = stdout.matchAll(/[ (](?:file:\/\/)?(\/[^():]+):\d+:\d+/g);
  const files = [...frames].map(([, file = '']) => file);
  expect(files).toContainEqual(join(folderOf('core'), 'dist/index.js'));
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});
