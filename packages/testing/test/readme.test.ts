import { readFileSync } from 'node:fs';
import { errorsOf } from '@fairlead/test-support/errors-page';
import { expect, it } from 'vitest';
import { RULES } from '../src/fuzz/violations.js';
import * as fuzzing from '../src/fuzz.js';
import * as testing from '../src/index.js';
import {
  MissingMemberError,
  RefusedHandshakeError,
  type TestApp,
  type TestAppOptions,
  UnusedOverrideError,
} from '../src/index.js';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

/** Every option. The type keeps the list complete. */
const options: Record<keyof TestAppOptions, true> = {
  app: true,
  controllers: true,
  root: true,
  include: true,
  exclude: true,
  prefix: true,
  guards: true,
  middleware: true,
  interceptors: true,
  versionIn: true,
  debug: true,
  logger: true,
  strict: true,
  register: true,
  overrides: true,
  guardOverrides: true,
  before: true,
  after: true,
  compileResponse: true,
  validationStatus: true,
  versions: true,
  onError: true,
};

it("lists every option in the README's table, in this order", () => {
  const [, section = ''] = /^## Options\n(.*?)^## /ms.exec(readme) ?? [];
  const rows = [...section.matchAll(/^\| (`[^|]*)\|/gm)].map(([, cell = '']) => cell);
  const listed = rows.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(listed).toEqual(Object.keys(options));
});

/** Every member of an application. The type keeps the list complete. */
const members: Record<Exclude<keyof TestApp, symbol>, true> = {
  request: true,
  fetch: true,
  agent: true,
  websocket: true,
  app: true,
  container: true,
  close: true,
};

it("lists every member of an application in the README's first table, in this order", () => {
  const [, table = ''] = /^\| Member \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(readme) ?? [];
  const listed = [...table.matchAll(/^\| `(\w+)/gm)].map(([, name]) => name);
  expect(listed).toEqual(Object.keys(members));
});

it('lists every exported error with its code in docs/errors.md', () => {
  const errors = [
    new fuzzing.FuzzError({ seed: 0, requests: 0, routes: [], failures: [] }),
    new MissingMemberError('x', 'y'),
    new RefusedHandshakeError('/', new Response()),
    new UnusedOverrideError(['x'], []),
  ];
  const rows = [...errorsOf('testing').matchAll(/^\| `(\w+Error)`\s*\| `([A-Z_]+)`\s*\|/gm)];
  expect(rows.map((row) => row.slice(1))).toEqual(errors.map(({ name, code }) => [name, code]));
  const exported = [fuzzing, testing].flatMap(Object.keys).filter((name) => name.endsWith('Error'));
  expect(errors.map(({ name }) => name)).toEqual(exported);
});

/** Every option of `fuzz()`. The type keeps the list complete. */
const fuzzOptions: Record<keyof fuzzing.FuzzOptions, true> = {
  runs: true,
  seed: true,
  routes: true,
  headers: true,
  authenticate: true,
  skip: true,
  timeout: true,
};

it('lists every promise and every option of fuzz(), in this order', () => {
  const [, section = ''] = /^## Send generated requests\n(.*?)^## /ms.exec(readme) ?? [];
  const cells = [...section.matchAll(/^\| (`[^|]*)\|/gm)].map(([, cell = '']) => cell);
  const listed = cells.flatMap((cell) => [...cell.matchAll(/`([\w-]+)`/g)].map(([, name]) => name));
  expect(listed).toEqual(RULES);
  const [, options = ''] = /^The options are (.*)/ms.exec(section) ?? [];
  const named = [...options.matchAll(/`(\w+)[`(]/g)].map(([, name = '']) => name);
  const known = Object.keys(fuzzOptions);
  expect(named.filter((name) => known.includes(name))).toEqual(known);
});
