import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { LambdaOptions } from '../src/index.js';

const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');

it("the README's table lists every option", () => {
  const options: Readonly<Record<keyof LambdaOptions, true>> = { basePath: true };
  const [, section = ''] = /^## Options\n(.*?)^## /ms.exec(readme) ?? [];
  const listed = [...section.matchAll(/^\| `([a-z]\w+)` /gm)].map(([, option]) => option);
  expect(listed).toEqual(Object.keys(options));
});
