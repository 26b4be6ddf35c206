import { expect, it } from 'vitest';
import type { ServerKind } from '../http/servers.js';
import { findSlower } from './against.js';

const measured = (title: string) => {
  const process: ServerKind = { name: title, title, workloads: [], program: () => ({ args: [] }) };
  return { title, processes: [process] };
};
const pairs = [{ style: 'functions', old: measured('old'), own: measured('own') } as const];

/** Creates the measurement of a workload whose CPU time was a multiple of that of the other commit in each batch. */
const measurement = (name: string, ...multiples: readonly number[]) => ({
  workload: { name, title: name },
  batches: multiples.map((multiple) => ({
    title: name,
    rows: [
      { title: 'old', series: { cpu: [100, 110] } },
      { title: 'own', series: { cpu: [100 * multiple, 110 * multiple] } },
    ],
  })),
});

it('calls a workload slower only if its whole interval is below the other commit', () => {
  const measurements = [
    measurement('slower', 1.04, 1.05, 1.06),
    measurement('noisy', 0.98, 1.04, 1.08),
    measurement('faster', 0.94, 0.95, 0.96),
  ];
  const [found = '', ...others] = findSlower('main~20', pairs, measurements);
  expect(found).toMatch(/^Slower than main~20: slower, functions, by at least 2\.\d %\.$/);
  expect(others).toEqual([]);
});
