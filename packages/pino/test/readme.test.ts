import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { DescribeErrorOptions, LoggerOptions, RequestLogOptions } from '../src/index.js';

const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');

it("the README's tables list every option", () => {
  const options: Readonly<
    Record<keyof (LoggerOptions & RequestLogOptions & DescribeErrorOptions), true>
  > = {
    level: true,
    format: true,
    serializeError: true,
    destination: true,
    quiet: true,
    stack: true,
  };
  const [, section = ''] = /^## Options\n(.*?)^## /ms.exec(readme) ?? [];
  const listed = [...section.matchAll(/^\| `([a-z]\w+)` /gm)].map(([, option]) => option);
  expect(listed).toEqual(Object.keys(options));
});
