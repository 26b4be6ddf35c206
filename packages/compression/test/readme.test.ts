import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SetupError } from '@fairlead/core';
import { expect, it } from 'vitest';
import { type CompressionOptions, compression } from '../src/index.js';

const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');

it("the README's table lists every option", () => {
  const options: Readonly<Record<keyof CompressionOptions, true>> = {
    threshold: true,
    encodings: true,
    levels: true,
    types: true,
    filter: true,
  };
  const listed = [...readme.matchAll(/^\| `([a-z]\w+)` /gm)].map(([, option]) => option);
  expect(listed).toEqual(Object.keys(options));
});

it('the README lists the error', () => {
  const [, name, code] = /^\| `(\w+Error)` \| `([A-Z_]+)` /m.exec(readme) ?? [];
  expect(name).toBe(SetupError.name);
  expect(() => compression({ threshold: -1 })).toThrow(expect.objectContaining({ code }));
});
