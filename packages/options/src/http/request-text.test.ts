import { describe, expect, it } from 'vitest';
import { memberPairs, textPairs } from './request-text.js';

describe('textPairs()', () => {
  it.each([
    ['a', [['n', 'a']]],
    [1.5, [['n', '1.5']]],
    [2n ** 64n, [['n', '18446744073709551616']]],
    [false, [['n', 'false']]],
    [new Date(1), [['n', '1970-01-01T00:00:00.001Z']]],
    [new URL('https://a.b/'), [['n', 'https://a.b/']]],
    [undefined, []],
    [null, []],
    [[], []],
    [
      ['a', 1, new Date(0)],
      [
        ['n', 'a'],
        ['n', '1'],
        ['n', '1970-01-01T00:00:00.000Z'],
      ],
    ],
    [
      { a: 1, b: ['x', 'y'], c: null },
      [
        ['n[a]', '1'],
        ['n[b]', 'x'],
        ['n[b]', 'y'],
      ],
    ],
    [{ a: { b: 1 } }, [['n[a][b]', '1']]],
  ])('writes %o', (value, pairs) => {
    expect(textPairs('n', value)).toEqual(pairs);
  });

  it.each([
    [[[1]], 'a list'],
    [[{}], 'an object'],
    [[null], 'null'],
    [[undefined], 'undefined'],
  ])('rejects %j', (value, what) => {
    expect(() => textPairs('n', value)).toThrow(
      new TypeError(
        `The list 'n' contains ${what}, which text cannot carry. Pass strings, numbers, booleans or dates.`,
      ),
    );
  });
});

it('memberPairs() writes the members of an object', () => {
  expect(memberPairs({ a: 1, 'b[c]': 'x' })).toEqual([
    ['a', '1'],
    ['b[c]', 'x'],
  ]);
});

it.each([{ a: '\ud800' }, { a: ['b', 'c\udc00'] }, { a: { b: 'c\ud800d' } }, { '\ud800': 'a' }])(
  'memberPairs() rejects half of a character: %j',
  (members) => {
    expect(() => memberPairs(members)).toThrow(TypeError);
  },
);
