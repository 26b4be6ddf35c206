import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { HealthOptions } from '../src/index.js';

const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');

it("the README's table lists every option", () => {
  const options: Readonly<Record<keyof HealthOptions, true>> = {
    checks: true,
    timeout: true,
    stopping: true,
    live: true,
    ready: true,
    interval: true,
    onChange: true,
    logger: true,
  };
  const listed = [...readme.matchAll(/^\| `([a-z]\w+)` /gm)].map(([, option]) => option);
  expect(listed).toEqual(Object.keys(options));
});
