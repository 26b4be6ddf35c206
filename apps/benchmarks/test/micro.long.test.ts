import { describe, expect, it } from 'vitest';
import { compare, quantileOf } from '../src/comparison.js';
import { BENCHMARKS, type LibraryModule } from '../src/micro/benchmarks.js';
import { compareLibraries } from '../src/micro/command.js';
import { createRequests, PARAM_ROUTES, ROUTES } from '../src/micro/routes.js';

/** Every library of every benchmark. */
const rows = BENCHMARKS.flatMap(({ name, libraries }) =>
  libraries.map((library) => ({ benchmark: name, library: library.name })),
);
const of = (prefix: string) => rows.filter(({ benchmark }) => benchmark.startsWith(prefix));

/** Returns a function that runs the operation once. */
async function prepare({ benchmark, library }: (typeof rows)[number]): Promise<() => unknown> {
  const { operations }: LibraryModule = await import(`../src/micro/libraries/${library}.ts`);
  const operation = operations[benchmark]?.();
  if (operation === undefined) throw new Error(`${library} does not have ${benchmark}.`);
  return () => operation(operation.input?.() as never);
}

interface Built {
  readonly dependency?: Built;
}

const depthOf = ({ dependency }: Built): number =>
  dependency === undefined ? 0 : 1 + depthOf(dependency);

describe('router-param', () => {
  const requests = Array.from({ length: 1_000 }, createRequests(PARAM_ROUTES));
  const expected = requests.map(({ path }) => path.split('/')[2]);

  it.each(of('router-param'))('$library finds the parameters in the paths', async (row) => {
    const find = await prepare(row);
    expect(expected.map(() => find())).toEqual(expected);
  });
});

describe('router-static, router-all', () => {
  it.each([...of('router-static'), ...of('router-all')])(
    '$library finds a route for each request of $benchmark',
    async (row) => {
      const find = await prepare(row);
      expect(Array.from({ length: 1_000 }, find).map(Boolean)).toEqual(Array(1_000).fill(true));
    },
  );
});

it('the requests cover every route', () => {
  const requests = Array.from({ length: 10_000 }, createRequests(ROUTES));
  const names = requests.map(({ method, path }) => `${method} ${path.replaceAll(/\d+/g, ':')}`);
  expect(new Set(names).size).toBe(211);
});

describe('compose', () => {
  it.each(of('compose'))('$library runs $benchmark to the end', async (row) => {
    const run = await prepare(row);
    expect(await run()).toBeUndefined();
  });
});

describe('resolve-singleton', () => {
  it.each(of('resolve-singleton'))('$library returns the same instance', async (row) => {
    const resolve = await prepare(row);
    const instance = resolve();
    expect(depthOf(instance as Built)).toBe(2);
    expect(resolve()).toBe(instance);
  });
});

describe('resolve-transient', () => {
  it.each(of('resolve-transient'))('$library returns new instances', async (row) => {
    const resolve = await prepare(row);
    const instance = resolve();
    expect(depthOf(instance as Built)).toBe(2);
    expect(resolve()).not.toBe(instance);
  });
});

describe('build', () => {
  it.each(of('build'))('$library builds new instances with their dependencies', async (row) => {
    const build = await prepare(row);
    const instance = build();
    expect(depthOf(instance as Built)).toBe(9);
    expect(build()).not.toBe(instance);
  });
});

describe('respond', () => {
  it.each(of('respond'))('$library responds with the users of $benchmark', async (row) => {
    const respond = await prepare(row);
    const { users, total } = JSON.parse(String(respond()));
    expect(users.length).toBe(total);
    expect(Object.keys(users[0]).length).toBe(10);
  });
});

it('measures the libraries of a benchmark', async () => {
  const [benchmark = { name: '', title: '', libraries: [] }] = BENCHMARKS;
  const libraries = benchmark.libraries.slice(0, 2);
  const options = { node: process.execPath, slice: 1, warmUp: 1 };
  const { rows } = await compare(compareLibraries({ ...benchmark, libraries }, options), 1);
  expect(rows.map((row) => row.title)).toEqual(['Fairlead', 'find-my-way']);
  for (const row of rows) expect(quantileOf(row, 'time', 0.5)).toBeGreaterThan(0);
});
