import { describe, expect, it } from 'vitest';
import { matchesWeakly, parseTags } from './entity-tags.js';

describe('parseTags()', () => {
  it.each([
    ['"a"', ['"a"']],
    ['W/"a", "b,c" ,, "d e"', ['W/"a"', '"b,c"', '"d e"']],
    ['', []],
    ['"a" "b"', []],
    ['w/"a"', []],
    ['a', []],
  ])('reads %s', (header, tags) => {
    expect(parseTags(header)).toEqual(tags);
  });
});

describe('matchesWeakly()', () => {
  it.each([
    ['*', '"a"', true],
    ['"a", "b"', 'W/"b"', true],
    ['W/"a"', '"a"', true],
    ['"a"', '"A"', false],
    ['"a" "b"', '"a"', false],
  ])('compares %s with %s', (header, tag, matches) => {
    expect(matchesWeakly(header, tag)).toBe(matches);
  });
});
