import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { published } from './support/packages.js';
import { workspace } from './support/project.js';

const read = (file: string) => JSON.parse(readFileSync(join(workspace, file), 'utf8'));

it('every package is private, or has the README of a published one', () => {
  const files = globSync('packages/*/package.json', { cwd: workspace });
  const folders = files.filter((file) => read(file).private !== true).map(dirname);
  expect(folders.toSorted()).toEqual(published.map((name) => `packages/${name}`).toSorted());
});

it.each(published)('is public, has provenance and a license: packages/%s', (name) => {
  expect(read(`packages/${name}/package.json`)).toMatchObject({
    license: 'MIT',
    publishConfig: { access: 'public', provenance: true },
  });
  expect(existsSync(join(workspace, 'packages', name, 'LICENSE'))).toBe(true);
});

it.each(published)('is listed in README.md and in ARCHITECTURE.md: packages/%s', (name) => {
  const lines = (file: string) => readFileSync(join(workspace, file), 'utf8').split('\n');
  const link = `](packages/${name}/README.md) |`;
  const row = new RegExp(`^\\| \`packages.*[/\`]${name}\``);
  expect(lines('README.md').filter((line) => line.includes(link))).toHaveLength(1);
  expect(lines('ARCHITECTURE.md').filter((line) => row.test(line))).toHaveLength(1);
});
