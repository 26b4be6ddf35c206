import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorsOf } from '@fairlead/test-support/errors-page';
import { expect, it } from 'vitest';
import { workspace } from './support/project.js';

const sections = readFileSync(join(workspace, 'docs/errors.md'), 'utf8').matchAll(
  /^## @fairlead\/(.*)$/gm,
);

/** Returns the codes that a text matches, each once. */
const codesIn = (text: string, pattern: RegExp): readonly string[] =>
  [...new Set([...text.matchAll(pattern)].map(([, code = '']) => code))].toSorted();

it('docs/errors.md has a section for each package whose README links to one, and no other', () => {
  const linking = globSync('packages/*/README.md', { cwd: workspace }).flatMap((path) => {
    const readme = readFileSync(join(workspace, path), 'utf8');
    return codesIn(readme, /\]\(\.\.\/\.\.\/docs\/errors\.md#fairlead([\w-]+)\)/g);
  });
  expect([...sections].map(([, name]) => name)).toEqual(linking.toSorted());
});

// The other packages compare their sections themselves, in test/readme.test.ts.
it.each(['aws-lambda', 'client', 'connect', 'jwt', 'metrics', 'pino', 'serve'])(
  'docs/errors.md lists the codes in the source of @fairlead/%s',
  (name) => {
    const files = globSync(`packages/${name}/src/**/!(*.test|*.test-d).ts`, { cwd: workspace });
    const source = files.map((file) => readFileSync(join(workspace, file), 'utf8')).join('\n');
    const listed = codesIn(errorsOf(name), /`([A-Z]+_[A-Z_]+)`/g);
    expect(codesIn(source, /['`]([A-Z]+_[A-Z_]+)['`]/g)).toEqual(
      expect.arrayContaining([...listed]),
    );
    const thrown = codesIn(source, /(?:code: |Error\(\s*|super\(\s*)'([A-Z]+_[A-Z_]+)'/g);
    const warned = codesIn(source, /'(FAIRLEAD_[A-Z_]+)'/g);
    expect(listed).toEqual(expect.arrayContaining([...thrown, ...warned]));
  },
);
