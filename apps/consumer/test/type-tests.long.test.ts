import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { here, runTsc, workspace } from './support/project.js';

const typeTests = globSync('packages/*/{src,test}/**/*.test-d.ts', { cwd: workspace });

describe('pnpm typecheck', () => {
  it('finds tests of types', () => {
    expect(typeTests.length).toBeGreaterThan(0);
  });

  it('compiles all of them', async () => {
    const manifest = JSON.parse(readFileSync(join(workspace, 'package.json'), 'utf8'));
    expect(manifest.scripts.typecheck).toBe('tsc');
    const { stdout } = await runTsc('typescript', ['--showConfig'], workspace);
    const files = JSON.parse(stdout).files.map((path: string) => join('.', path));
    expect(files).toEqual(expect.arrayContaining(typeTests));
  });

  it('fails at every wrong assertion about a type', async () => {
    const project = join(here, 'fixtures/types');
    const lines = readFileSync(join(project, 'wrong.test-d.ts'), 'utf8').split('\n');
    const wrong = lines.flatMap((line, index) => (line.endsWith('wrong') ? [index + 1] : []));
    const compiled = runTsc('typescript', ['-p', 'tsconfig.json'], project);
    const { stdout } = await compiled.catch((failure) => failure);
    const errors = [...stdout.matchAll(/^wrong\.test-d\.ts\((\d+),\d+\): error/gm)];
    expect(errors.map(([, line]) => Number(line))).toEqual(wrong);
  });
});
