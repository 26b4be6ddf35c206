import { runInNewContext } from 'node:vm';
import { expect, it, vi } from 'vitest';
import { assertStorable, backoff, isPlainObject, pointerKeys } from './values.js';

it('tells object literals of any realm from instances', () => {
  const foreign: unknown = runInNewContext('({})');
  const plain = [{}, Object.create(null), foreign];

  expect(plain.filter(isPlainObject)).toHaveLength(3);
  expect([[], new Map(), null, () => 1, 'a'].filter(isPlainObject)).toEqual([]);
});

it('waits twice as long after each attempt, up to the longest delay, of which half is random', () => {
  const random = vi.spyOn(Math, 'random');
  const delays = (value: number) => {
    random.mockReturnValue(value);
    return [0, 1, 2, 10].map((repeats) => backoff(100, repeats, 1_000));
  };
  expect(delays(0)).toEqual([50, 100, 200, 500]);
  expect(delays(1)).toEqual([100, 200, 400, 1_000]);
});

it.each([
  ['a\0', 'x contains'],
  [{ list: ['a', { b: 'a\ud800' }] }, 'x.list.1.b contains'],
  [{ 'a\udc00': 1 }, 'x.a\udc00 contains'],
])('refuses text that PostgreSQL cannot store in JSON: %j', (value, place) => {
  const check = () => assertStorable('Cannot add it', value, 'x');
  expect(check).toThrow(TypeError);
  expect(check).toThrow(
    `Cannot add it: PostgreSQL cannot store NUL or half of a surrogate pair, which ${place}. Remove`,
  );
});

it.each([[null], [1], [{ list: ['\u{1f600}', '\\u0000', { b: null }] }]])(
  'accepts %j for PostgreSQL',
  (value) => {
    expect(() => assertStorable('Cannot add it', value, 'x')).not.toThrow();
  },
);

it.each([
  ['#', []],
  ['#/$defs/User', ['$defs', 'User']],
  ['/a~1b/~01/%2520/a%2Fb/ü', ['a/b', '~1', '%20', 'a/b', 'ü']],
  ['#/100%/%ff', ['100%', '%ff']],
])('the JSON Pointer %s has the keys %j', (pointer, keys) => {
  expect(pointerKeys(pointer)).toEqual(keys);
});
