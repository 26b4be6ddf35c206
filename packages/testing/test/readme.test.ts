import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { TestAppOptions } from '../src/index.js';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

/** Every option. The type keeps the list complete. */
const options: Record<keyof TestAppOptions, true> = {
  controllers: true,
  root: true,
  include: true,
  exclude: true,
  prefix: true,
  guards: true,
  middleware: true,
  interceptors: true,
  validationStatus: true,
  compileResponse: true,
  debug: true,
  logger: true,
  strict: true,
  register: true,
  overrides: true,
  before: true,
  after: true,
  onError: true,
};

it("lists every option in the README's table, in this order", () => {
  const [, section = ''] = /^## Options\n(.*?)^## /ms.exec(readme) ?? [];
  const rows = [...section.matchAll(/^\| (`[^|]*)\|/gm)].map(([, cell = '']) => cell);
  const listed = rows.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(listed).toEqual(Object.keys(options));
});
