import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { CsrfOptions, CsrfTokenOptions } from '../src/index.js';

const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');

it("the README's tables list every option", () => {
  const options: Readonly<Record<keyof CsrfOptions, true>> = {
    origins: true,
    tokens: true,
    withoutCredentials: true,
    skip: true,
  };
  const tokenOptions: Readonly<Record<keyof CsrfTokenOptions, true>> = {
    keys: true,
    session: true,
    header: true,
    field: true,
    name: true,
    secure: true,
  };
  const listed = [...readme.matchAll(/^\| `([a-z]\w+)` /gm)].map(([, name]) => name);
  expect(listed).toEqual([...Object.keys(options), ...Object.keys(tokenOptions)]);
});
