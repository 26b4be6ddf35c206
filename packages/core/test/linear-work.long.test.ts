import { isJson } from '@fairlead/options';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../src/body/parsers.js';
import { parseMediaType } from '../src/exchange/media-type.js';
import { joinPaths, parsePattern } from '../src/router/pattern.js';
import { Tree } from '../src/router/tree.js';
import { normalizePath, parseTarget } from '../src/server/target.js';
import { growthOf, NEARLY_LINEAR } from './support/growth.js';

const RULES = { caseSensitive: true, strict: false };

/** Creates a tree of GET routes. */
function grow(patterns: readonly string[]): Tree<string> {
  const tree = new Tree<string>(RULES);
  for (const pattern of patterns) tree.insert('GET', parsePattern(pattern), pattern);
  return tree;
}

/** All patterns of a length whose segments are `a` or a parameter, so a search may backtrack at each. */
function forks(length: number): string[] {
  return Array.from({ length: 2 ** length }, (_, bits) =>
    Array.from({ length }, (_, step) => ((bits >> step) & 1 ? '/a' : `/:p${step}`)).join(''),
  );
}

describe('matching takes linear time in the length of the path', () => {
  const tree = grow(['/a/:b/c', '/:a/b/*rest', '/x/*rest', '/a-b']);

  it.each([
    ['dashes', (size: number) => `/${'-'.repeat(size)}`],
    ['slashes', (size: number) => '/'.repeat(size)],
    ['segments', (size: number) => '/a'.repeat(size)],
    ['segments behind a wildcard', (size: number) => `/x${'/a'.repeat(size)}`],
    ['escapes', (size: number) => '/%2F'.repeat(size)],
    ['escapes that are undone', (size: number) => '/%61'.repeat(size)],
  ])('of %s', (_, pathOf) => {
    const find = (size: number) => tree.find('GET', normalizePath(pathOf(size)) ?? '');
    expect(growthOf(find, 1_000, 64_000)).toBeLessThan(NEARLY_LINEAR);
  });

  it('of 1,024 parameters', () => {
    const pattern = (size: number) =>
      Array.from({ length: size }, (_, index) => `/:p${index}`).join('');
    const trees = new Map([16, 1_024].map((size) => [size, grow([pattern(size)])]));
    const find = (size: number) => trees.get(size)?.find('GET', '/a'.repeat(size));
    expect(find(1_024)?.rawParams).toHaveLength(1_024);
    expect(growthOf(find, 16, 1_024)).toBeLessThan(NEARLY_LINEAR);
  });
});

it('a search that backtracks at every segment takes linear time in the number of routes', () => {
  const trees = new Map([4, 10].map((length) => [2 ** length, grow(forks(length))]));
  const search = (size: number) => {
    for (let run = 0; run < 20; run += 1) {
      trees.get(size)?.find('POST', '/a'.repeat(Math.log2(size)));
      trees.get(size)?.methods('/a'.repeat(Math.log2(size)));
    }
  };
  expect(trees.get(2 ** 10)?.find('GET', '/a'.repeat(10))?.value).toBe('/a'.repeat(10));
  expect(growthOf(search, 2 ** 4, 2 ** 10)).toBeLessThan(NEARLY_LINEAR);
});

describe('parsing takes linear time in the size of the input', () => {
  it.each<[string, (size: number) => unknown]>([
    ['a charset', (size) => parseMediaType(`text/plain;charset=${' '.repeat(size)}x y`)],
    ['parameters', (size) => parseMediaType(`text/plain${';charset'.repeat(size)}`)],
    ['a media type', (size) => isJson(`a/${'+json'.repeat(size)}!`)],
    ['an absolute target', (size) => parseTarget('GET', `http://a${'/'.repeat(size)}?`)],
    ['a target without a path', (size) => parseTarget('GET', `http://${'a'.repeat(size)}`)],
    ['prefixes', (size) => joinPaths('/'.repeat(size), '/'.repeat(size))],
    ['JSON', (size) => parseJson(Buffer.from(`[${'{"\\u0061":[1]},'.repeat(size)}0]`))],
  ])('%s', (_, read) => {
    expect(growthOf(read, 500, 32_000)).toBeLessThan(NEARLY_LINEAR);
  });
});

// A busy machine may slow the shortest measurement alone.
it('quadratic work is recognized', { retry: 5 }, () => {
  const countPairs = (size: number) => {
    let count = 0;
    for (let left = 0; left < size; left += 1) {
      for (let right = 0; right < size; right += 1) count += left ^ right;
    }
    return count;
  };
  expect(growthOf(countPairs, 100, 6_400)).toBeGreaterThan(NEARLY_LINEAR);
});
