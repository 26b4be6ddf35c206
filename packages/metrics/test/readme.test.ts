import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { MetricsOptions } from '../src/index.js';

const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');

it("the README's table of options lists every option", () => {
  const options: Readonly<Record<keyof MetricsOptions, true>> = {
    registry: true,
    buckets: true,
    processMetrics: true,
    skip: true,
    caller: true,
  };
  const [, section = ''] = readme.split('## Options');
  const listed = [...section.matchAll(/^\| `([a-z]\w+)` /gm)].map(([, option]) => option);
  expect(listed).toEqual(Object.keys(options));
});
