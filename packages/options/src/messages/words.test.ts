import { describe, expect, it } from 'vitest';
import { describeValue, joinWords } from './words.js';

describe('describeValue', () => {
  class UserDto {}

  it.each([
    ['a', "'a'"],
    ['x'.repeat(61), `'${'x'.repeat(60)}…'`],
    [1, '1'],
    [2n, '2n'],
    [undefined, 'undefined'],
    [null, 'null'],
    [Symbol('a'), 'Symbol(a)'],
    [[], '[]'],
    [['a', 1], "['a', 1]"],
    [[{}], 'an array'],
    [['x'.repeat(60)], 'an array'],
    [{}, 'an object'],
    [Object.create(null), 'an object'],
    [new UserDto(), 'an instance of UserDto'],
    [Promise.resolve(), 'an instance of Promise'],
    [UserDto, 'the class UserDto'],
    [function handler() {}, 'the function handler'],
    [() => 1, 'a function'],
    [Object.freeze(function handler() {}), 'the function handler'],
    [Object.freeze(class UserDto {}), 'the class UserDto'],
  ])('%o → %s', (value, text) => {
    expect(describeValue(value)).toBe(text);
  });

  it('ignores a static member of a class called name', () => {
    class Named {}
    Object.defineProperty(Named, 'name', { value: Symbol('x') });
    expect(describeValue(new Named())).toBe('an object');
  });
});

it.each([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b'], 'a and b'],
  [['a', 'b', 'c'], 'a, b and c'],
])('joins the words of %j', (words, text) => {
  expect(joinWords(words, 'and')).toBe(text);
});
