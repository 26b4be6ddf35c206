import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packages } from './support/packages.js';
import { workspace } from './support/project.js';

/** A function expression that the bundler has renamed, because a function around it has its name. */
const RENAMED = /^(?!(?:async )?function).*\bfunction (\w+2)\((?:ctx|context)\b/gm;

it.each(packages)(
  '%s is built with the names that messages and lists of routes show',
  async (name) => {
    const renamed: (string | undefined)[] = [];
    for await (const file of glob(join(workspace, 'packages', name, 'dist/**/*.js'))) {
      const code = await readFile(file, 'utf8');
      renamed.push(...[...code.matchAll(RENAMED)].map((match) => match[1]));
    }
    expect(renamed, 'Wrap the function with named().').toEqual([]);
  },
);
