import { globSync, readFileSync } from 'node:fs';
import { errorsOf } from '@fairlead/test-support/errors-page';
import { expect, it } from 'vitest';
import type { OpenApiOptions } from '../src/index.js';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

it('the README lists every option', () => {
  const options: Required<OpenApiOptions> = {
    info: { title: 'Test', version: '1' },
    version: '3.1',
    apiVersion: '1',
    servers: [],
    tags: [],
    externalDocs: { url: '/' },
    webhooks: {},
    extensions: {},
    include: [],
    exclude: [],
    unrepresentable: 'error',
    errorSchema: {},
    transform: () => undefined,
    path: '/openapi.json',
    docs: '/docs',
    docsInProduction: false,
    public: 'Everyone may read it.',
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
    [...source.matchAll(/(?:SetupError|super)\(\s*'([A-Z_]+)'|throwTogether\(/g)].map(
      ([, code = 'INVALID_OPTION']) => code,
    ),
  );
  const listed = [...errorsOf('openapi').matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code);

  expect([...new Set(thrown)].toSorted()).toEqual(listed.toSorted());
});
