import { expect, it } from 'vitest';
import { compare, estimate, joinRounds, quantile } from './comparison.js';

it('interpolates a quantile between two numbers', () => {
  expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5);
  expect(quantile([4, 1, 3, 2], 0)).toBe(1);
  expect(quantile([4, 1, 3, 2], 1)).toBe(4);
});

it('uses the order statistics that hold 95 % of a binomial distribution as an interval', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect(estimate(hundred)).toEqual({ median: 50.5, low: 41, high: 60 });
});

it('uses the whole range as the interval of a few numbers', () => {
  expect(estimate([3, 1, 2])).toEqual({ median: 2, low: 1, high: 3 });
});

it('gives every contestant one turn per round', async () => {
  const turns: string[] = [];
  const contestants = ['a', 'b', 'c'].map((title) => () => ({
    title,
    turn: async () => ({ turn: turns.push(title) }),
  }));
  const { rows } = await compare({ title: 'letters', contestants }, 2);
  expect(rows.map(({ title, series }) => [title, series.turn?.length])).toEqual([
    ...[
      ['a', 2],
      ['b', 2],
      ['c', 2],
    ],
  ]);
  expect([turns.slice(0, 3).toSorted(), turns.slice(3).toSorted()]).toEqual([
    ['a', 'b', 'c'],
    ['a', 'b', 'c'],
  ]);
});

it('warms everybody up in each pass, and keeps the rows in their order', async () => {
  const passes: string[] = [];
  const contestants = ['a', 'b', 'c'].map((title) => () => ({
    title,
    warmUp: async () => passes.push(title),
    turn: async () => ({}),
  }));
  const { rows } = await compare({ title: 'letters', contestants }, 1, undefined, 2);
  expect(rows.map(({ title }) => title)).toEqual(['a', 'b', 'c']);
  expect([passes.slice(0, 3).toSorted(), passes.slice(3).toSorted()]).toEqual([
    ['a', 'b', 'c'],
    ['a', 'b', 'c'],
  ]);
});

it('joins the rounds of two tables, so that each stays beside the baseline of its round', () => {
  const table = (a: readonly number[], b: readonly number[]) => ({
    title: 'letters',
    rows: [
      { title: 'a', series: { cpu: a } },
      { title: 'b', series: { cpu: b } },
    ],
  });
  const joined = joinRounds(table([1, 2], [10, 20]), table([3], [30]));
  expect(joined).toEqual(table([1, 2, 3], [10, 20, 30]));
});
