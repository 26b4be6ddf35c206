import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { importBudgets, packedBudgets } from './support/budgets.js';
import { entriesOf } from './support/entries.js';
import { packages } from './support/packages.js';
import { here, run } from './support/project.js';

const BUDGETS = 'apps/consumer/test/support/budgets.ts';
const tarballs = inject('tarballs');
const specifiers = packages.flatMap(entriesOf).map(({ specifier }) => specifier);

it('every package and every module of one has a budget', () => {
  expect(Object.keys(packedBudgets).toSorted()).toEqual(packages);
  expect(Object.keys(importBudgets).toSorted()).toEqual(specifiers.toSorted());
});

it.each(packages)('the packed size is within its budget: %s', (name) => {
  const size = statSync(tarballs[name] ?? name).size / 1000;
  const budget = packedBudgets[name] ?? 0;
  expect(
    size,
    `packages/${name} packs to ${size} kB, its budget is ${budget} kB. Make it smaller, or raise the budget in ${BUDGETS}`,
  ).toBeLessThanOrEqual(budget);
});

it.concurrent.each(specifiers)('an import loads no more than its budget: %s', async (specifier) => {
  const script = join(here, 'fixtures/loaded-files.mjs');
  const { stdout } = await run(process.execPath, [script, specifier], here);
  const loaded = JSON.parse(stdout) as {
    files: number;
    kilobytes: number;
    loadsUndici: boolean;
  };
  const [files, kilobytes] = importBudgets[specifier] ?? [0, 0];
  const message = `import '${specifier}' loads ${loaded.files} files with ${loaded.kilobytes} kB, its budget is ${files} files with ${kilobytes} kB. Load less, or raise the budget in ${BUDGETS}`;
  expect(loaded.files, message).toBeLessThanOrEqual(files);
  expect(loaded.kilobytes, message).toBeLessThanOrEqual(kilobytes);
  // An import of node:http reads all of its members, some of which load undici. Express loads node:http itself.
  expect(loaded.loadsUndici, 'use process.getBuiltinModule()').toBe(
    specifier === '@fairlead/connect',
  );
});
