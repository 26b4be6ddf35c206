import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ConnectOptions } from '../src/index.js';

const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');

it("the README's table lists every option", () => {
  const options: Readonly<Record<keyof ConnectOptions, true>> = { state: true, onError: true };
  const [, table = ''] = readme.split('## Options');
  const listed = [...table.matchAll(/^\| `([a-z]\w+)` /gm)].map(([, option]) => option);
  expect(listed).toEqual(Object.keys(options));
});
