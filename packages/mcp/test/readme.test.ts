import { globSync, readFileSync } from 'node:fs';
import { errorsOf } from '@fairlead/test-support/errors-page';
import { expect, it } from 'vitest';
import type { McpOptions } from '../src/index.js';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

it('the README lists every option', () => {
  const options: Required<McpOptions> = {
    name: 'users',
    version: '1.0.0',
    path: '/mcp',
    instructions: '',
    origins: [],
    resultLimit: 1,
    authorization: { resource: '', servers: [] },
  };
  const [, section = ''] = readme.split('## Options');
  const listed = [...section.matchAll(/^\| `([a-z]\w+)` /gm)].map(([, option]) => option);

  expect(listed).toEqual(Object.keys(options));
});

it('docs/errors.md lists the code of every error', () => {
  const folder = new URL('../src/', import.meta.url);
  const sources = globSync('**/*.ts', { cwd: folder }).map((file) =>
    readFileSync(new URL(file, folder), 'utf8'),
  );
  const thrown = sources.flatMap((source) =>
    [...source.matchAll(/SetupError\(\s*'([A-Z_]+)'|code: '([A-Z_]+)'|throwTogether\(/g)].map(
      ([, code, other = 'INVALID_OPTION']) => code ?? other,
    ),
  );
  const listed = [...errorsOf('mcp').matchAll(/^\| `\w+` \| `([A-Z_]+)` \|/gm)].map(
    ([, code]) => code,
  );

  expect([...new Set(thrown)].toSorted()).toEqual(listed.toSorted());
});
