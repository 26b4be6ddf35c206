import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workspace } from './support/project.js';

const read = (path: string) => readFileSync(join(workspace, path), 'utf8');

const manifests = globSync(
  ['packages/*/package.json', 'packages/create-fairlead/templates/*/package.json'],
  { cwd: workspace },
).filter((path) => JSON.parse(read(path)).engines !== undefined);

/** The pages that name the version of Node.js that a reader needs first. */
const pages = [
  'README.md',
  'docs/runtimes.md',
  'packages/core/src/node-http.ts',
  ...globSync('packages/*/README.md', { cwd: workspace }),
];

/** The version that a page says is needed. */
const versionOf = (path: string) => /Node\.js (22\.\d+) (?:or|and) newer/.exec(read(path))?.[1];

/** The templates that Node.js runs without a loader. `minimal` also needs `import.meta.main`. */
const strippedTypes: Readonly<Record<string, string>> = {
  minimal: '^22.18 || >=24.2',
  values: '^22.18 || >=24',
};

describe('the minimum version of Node.js', () => {
  it.each(manifests)('is that of all packages, or of type stripping, in %s', (path) => {
    const { name, engines } = JSON.parse(read(path));
    expect(engines).toEqual({ node: strippedTypes[name] ?? '^22.16 || >=24' });
  });

  it.each(pages)('is that of the packages in %s', (path) => {
    expect(versionOf(path)).toBe('22.16');
  });

  it('is that which runs TypeScript in docs/getting-started.md', () => {
    expect(versionOf('docs/getting-started.md')).toBe('22.18');
  });
});
