import { expect, it } from 'vitest';
import { Sample } from './sample.js';

it('a sample has the first 100 requests, then one in 4,096, and all that follow a restart', () => {
  const sample = new Sample();
  const observed = Array.from({ length: 100 + 4_096 + 1 }, () => sample.next());
  const indexes = observed.flatMap((isObserved, index) => (isObserved ? index : []));
  expect(indexes).toEqual([...Array(100).keys(), 100 + 4_095]);
  sample.restart();
  expect(sample.next()).toBe(true);
});
