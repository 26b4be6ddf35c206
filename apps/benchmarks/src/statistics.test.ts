import { expect, it } from 'vitest';
import { estimate, quantile, shuffled } from './statistics.js';

it('interpolates a quantile between two numbers', () => {
  expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5);
  expect(quantile([4, 1, 3, 2], 0)).toBe(1);
  expect(quantile([4, 1, 3, 2], 1)).toBe(4);
});

it('gives a median the order statistics that hold 95 % of a binomial distribution', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect(estimate(hundred)).toEqual({ median: 50.5, low: 41, high: 60 });
});

it('gives a few numbers their whole range', () => {
  expect(estimate([3, 1, 2])).toEqual({ median: 2, low: 1, high: 3 });
});

it('keeps every item when it shuffles', () => {
  const items = [1, 2, 3, 4, 5];
  expect(shuffled(items).toSorted()).toEqual(items);
});
