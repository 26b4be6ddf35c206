import { describe, expect, it } from 'vitest';
import {
  anything,
  arrayOf,
  boolean,
  either,
  fn,
  hasMethods,
  integer,
  milliseconds,
  nonEmptyString,
  object,
  oneOf,
  positiveMilliseconds,
  string,
} from './kinds.js';

describe('kinds', () => {
  it.each([
    [anything, [null, 1, 'a'], []],
    [boolean, [true, false], [0, 'true', null]],
    [fn, [() => 1, Map], ['a', {}]],
    [object, [{}, new Map()], [[], null, () => 1]],
    [string, ['', 'a'], [1]],
    [nonEmptyString, ['a'], ['', 1]],
    [milliseconds, [0, 2 ** 31 - 1], [-1, 0.5, 2 ** 31, '5', Number.NaN]],
    [positiveMilliseconds, [1, 2 ** 31 - 1], [0, 1.5, 2 ** 31, '5']],
    [integer(1), [1, 2 ** 53 - 1], [0, 1.5, 2 ** 53, '1']],
    [integer(200, 599), [200, 599], [199, 600]],
    [oneOf('a', false), ['a', false], ['b', true, undefined]],
    [arrayOf(string, 'an array of strings'), [[], ['a']], ['a', ['a', 1]]],
    [either(boolean, string), [true, 'a'], [1]],
  ])('%o accepts and refuses', (tested, accepted, refused) => {
    expect(accepted.filter((value) => !tested.accepts(value))).toEqual([]);
    expect(refused.filter((value) => tested.accepts(value))).toEqual([]);
  });

  it.each([
    [integer(0), 'a non-negative integer'],
    [integer(0, undefined, 'number of bytes'), 'a non-negative integer number of bytes'],
    [integer(1), 'an integer of at least 1'],
    [integer(200, 599), 'an integer from 200 to 599'],
    [milliseconds, 'an integer number of milliseconds from 0 to 2147483647'],
    [oneOf('singleton', 'transient', 'request'), "'singleton', 'transient' or 'request'"],
    [either(boolean, string, fn), 'true or false, a string or a function'],
  ])('%o describes itself', (described, description) => {
    expect(described.description).toBe(description);
  });
});

it('accepts objects with methods', () => {
  const accepts = hasMethods('info', 'error');
  const info = () => undefined;

  expect(accepts({ info, error: info })).toBe(true);
  expect([{ info }, { info, error: 'no' }, info, null, 'a'].filter(accepts)).toEqual([]);
});
