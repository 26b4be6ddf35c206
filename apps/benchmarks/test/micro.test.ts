import { describe, expect, it } from 'vitest';
import { BENCHMARKS } from '../src/micro/benchmarks.js';
import { measureBenchmark } from '../src/micro/measure.js';
import type { Operation, SubjectModule } from '../src/micro/operation.js';
import { createRequests, PARAM_ROUTES, ROUTES } from '../src/micro/routes.js';

/** Every library of a benchmark, ready. */
const rows = BENCHMARKS.flatMap(({ name, subjects }) =>
  subjects.map((subject) => ({ benchmark: name, subject: subject.name })),
);
const of = (prefix: string) => rows.filter(({ benchmark }) => benchmark.startsWith(prefix));

async function prepare({ benchmark, subject }: (typeof rows)[number]): Promise<Operation> {
  const { operations }: SubjectModule = await import(`../src/micro/subjects/${subject}.ts`);
  const operation = operations[benchmark]?.();
  if (operation === undefined) throw new Error(`${subject} has no ${benchmark}.`);
  return operation;
}

interface Built {
  readonly dependency?: Built;
}

const depthOf = ({ dependency }: Built): number =>
  dependency === undefined ? 0 : 1 + depthOf(dependency);

describe('router-param', () => {
  const expected = createRequests(PARAM_ROUTES)(1_000).map(({ path }) => path.split('/')[2]);

  it.each(of('router-param'))('$subject finds the parameters of the paths', async (row) => {
    const find = await prepare(row);
    expect(expected.map(() => find())).toEqual(expected);
  });
});

describe('router-static, router-all', () => {
  it.each([...of('router-static'), ...of('router-all')])(
    '$subject finds a route for each request of $benchmark',
    async (row) => {
      const find = await prepare(row);
      expect(Array.from({ length: 1_000 }, find).map(Boolean)).toEqual(Array(1_000).fill(true));
    },
  );
});

it('routers are asked for every route', () => {
  const requests = createRequests(ROUTES)(10_000);
  const names = requests.map(({ method, path }) => `${method} ${path.replaceAll(/\d+/g, ':')}`);
  expect(new Set(names).size).toBe(211);
});

describe('compose', () => {
  it.each(of('compose'))('$subject runs $benchmark to its end', async (row) => {
    const run = await prepare(row);
    expect(await run()).toBeUndefined();
  });
});

describe('resolve-singleton', () => {
  it.each(of('resolve-singleton'))('$subject gives the same instance', async (row) => {
    const resolve = await prepare(row);
    const instance = resolve();
    expect(depthOf(instance as Built)).toBe(2);
    expect(resolve()).toBe(instance);
  });
});

describe('resolve-transient', () => {
  it.each(of('resolve-transient'))('$subject gives new instances', async (row) => {
    const resolve = await prepare(row);
    const instance = resolve();
    expect(depthOf(instance as Built)).toBe(2);
    expect(resolve()).not.toBe(instance);
  });
});

describe('build', () => {
  it.each(of('build'))('$subject builds anew what the classes ask for', async (row) => {
    const build = await prepare(row);
    const instance = build();
    expect(depthOf(instance as Built)).toBe(9);
    expect(build()).not.toBe(instance);
  });
});

it('measures libraries in processes of their own', async () => {
  const benchmark = { ...BENCHMARKS[0], subjects: BENCHMARKS[0]?.subjects.slice(0, 2) };
  const table = await measureBenchmark(benchmark as (typeof BENCHMARKS)[number], {
    ...{ node: process.execPath, rounds: 1, slice: 1, warmUp: 1 },
    onProgress() {},
  });
  expect(table.rows.map(({ subject }) => subject)).toEqual(benchmark.subjects);
  for (const { time } of table.rows) expect(time).toBeGreaterThan(0);
});
