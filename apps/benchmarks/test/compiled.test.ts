import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { OUTPUT } from '../src/compile.js';

it('compiled programs import only packages that this one depends on', () => {
  const manifest = JSON.parse(readFileSync(join(OUTPUT, '../package.json'), 'utf8'));
  const dependencies = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  const files = globSync('**/*.js', { cwd: OUTPUT, exclude: ['generated/**'] });
  const imported = files.flatMap((file) => {
    const code = readFileSync(join(OUTPUT, file), 'utf8');
    const names = code.matchAll(/\b(?:from|import) ?\(?'(?!node:)((?:@[\w.-]+\/)?\w[\w.-]*)/g);
    return [...names].map(([, name]) => name);
  });
  expect(imported).toContain('fastify');
  expect([...new Set(imported)].filter((name) => !dependencies.includes(String(name)))).toEqual([]);
});
