import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderAgents } from 'tools/agents';
import { expect, it } from 'vitest';
import { published } from './support/packages.js';
import { workspace } from './support/project.js';

const read = (file: string) => readFileSync(join(workspace, file), 'utf8');

/** Agents read the whole file. */
const MAX_LINES = 80;

/** Functions of applications, of Node.js and of zod. */
const OF_OTHERS = ['createMyApp', 'createOfflineApp', 'exit', 'meta', 'stringbool'];

/** Every word in the API of the packages. */
const words = new Set(
  globSync('packages/*/api/*.api.md', { cwd: workspace }).flatMap((file) =>
    read(file).match(/[A-Za-z_$][\w$]*/g),
  ),
);

it.each(published)('packages/%s/AGENTS.md has what the package exports now', async (name) => {
  const file = `packages/${name}/AGENTS.md`;
  await expect(renderAgents(workspace, name)).toMatchFileSnapshot(join(workspace, file));
});

it.each(published)('packages/%s/AGENTS.md is published, short, and shows how to use it', (name) => {
  const text = read(`packages/${name}/AGENTS.md`);
  expect(JSON.parse(read(`packages/${name}/package.json`)).files).toContain('AGENTS.md');
  expect(text.split('\n').length).toBeLessThanOrEqual(MAX_LINES);
  expect(text).toMatch(/^## Use\n\n```(?:ts|sh)/m);
  expect(text.split('\n## Rules\n')[1]).toMatch(/^\n- .+\n/);
});

it.each(published)('packages/%s/AGENTS.md installs the package, and its links work', (name) => {
  const text = read(`packages/${name}/AGENTS.md`);
  const [, command] = /Install\sit\swith\s`(npm (?:install|create) [^`]*)`\.\n/.exec(text) ?? [];
  expect(command).toMatch(new RegExp(`[ /]${name.replace('create-', '')}(?:@|\\s|$)`));
  const links = [...text.matchAll(/\]\((?!https:)([^)]*)\)/g)].map(([, path]) => path);
  expect(links).toEqual(['README.md']);
});

it.each(published)('packages/%s/AGENTS.md names only functions that exist', (name) => {
  const prose = read(`packages/${name}/AGENTS.md`).replaceAll(/^```.*?^```$/gms, '');
  const calls = [...prose.matchAll(/`[^`\n]*?([A-Za-z_$][\w$]*)\([^`]*`/g)].map(
    ([, call = '']) => call,
  );
  expect(calls.filter((call) => !words.has(call) && !OF_OTHERS.includes(call))).toEqual([]);
});
