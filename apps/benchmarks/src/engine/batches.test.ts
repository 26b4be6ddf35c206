import { expect, it } from 'vitest';
import { estimateBatches, seriesOf, speedIn, tQuantile } from './batches.js';

const table = {
  title: 'letters',
  rows: [
    { title: 'old', series: { cpu: [10, 20, 40], throughput: [100, 50, 25] } },
    { title: 'old again', series: { cpu: [40, 20, 10], throughput: [25, 50, 100] } },
    { title: 'new', series: { cpu: [5, 10, 40], throughput: [200, 100, 25] } },
  ],
};

it.each([
  [1, 12.706],
  [9, 2.262],
  [10, 2.228],
  [30, 2.042],
  [1_000, 1.962],
])('knows the t quantile of %d degrees of freedom', (degrees, expected) => {
  expect(tQuantile(degrees)).toBeCloseTo(expected, 3);
});

it('estimates a ratio by the geometric mean of the batches, with a t interval', () => {
  const { median, low, high } = estimateBatches([0.5, 1, 2]);
  expect(median).toBeCloseTo(1);
  // The standard error of the logarithms is ln 2 / √3.
  expect(Math.log(high)).toBeCloseTo((4.303 * Math.LN2) / Math.sqrt(3));
  expect(low * high).toBeCloseTo(1);
});

it('gives equal batches an interval without width', () => {
  expect(estimateBatches([1.5, 1.5])).toEqual({ median: 1.5, low: 1.5, high: 1.5 });
});

it('compares the processes of two programs round by round', () => {
  expect(speedIn(table, ['new'], ['old'], 'throughput')).toBeCloseTo(2);
});

it('calls a program with less CPU time per request faster', () => {
  expect(speedIn(table, ['new'], ['old'], 'cpu')).toBeCloseTo(2);
});

it('averages the processes of one program', () => {
  expect(seriesOf(table, ['old', 'old again'], 'cpu').map(Math.round)).toEqual([20, 20, 20]);
});
