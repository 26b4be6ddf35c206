import { describe, expect, it } from 'vitest';
import { readPagination, sliceOf } from './pagination.js';

describe('readPagination', () => {
  it('returns undefined when the query has neither page nor limit', () => {
    expect(readPagination({ sort: 'name' })).toBeUndefined();
  });

  it.each([
    [{ page: '2' }, { page: 2, limit: 10 }],
    [{ limit: '3' }, { page: 1, limit: 3 }],
    [
      { page: '2', limit: '3' },
      { page: 2, limit: 3 },
    ],
    [{ page: '' }, { page: 1, limit: 10 }],
  ])('parses %o with the defaults 1 and 10', (query, expected) => {
    expect(readPagination(query)).toEqual(expected);
  });

  it.each([
    ['7', 7],
    ['2.9', 2],
    ['1e2', 100],
    ['0x10', 16],
    [' 4 ', 4],
    ['1e300', 1e300],
  ])('converts %j to %d', (text, value) => {
    expect(readPagination({ page: text, limit: text })).toEqual({ page: value, limit: value });
  });

  it.each(['abc', '0', '-1', '0.9', '', '1,5', 'NaN', 'Infinity', '-Infinity', '1e999'])(
    'falls back to 1 and 10 for %j',
    (text) => {
      expect(readPagination({ page: text, limit: text })).toEqual({ page: 1, limit: 10 });
    },
  );
});

describe('sliceOf', () => {
  it('starts at (page - 1) * limit', () => {
    expect(sliceOf({ page: 3, limit: 4 })).toEqual({ offset: 8, limit: 4 });
  });

  it('caps offset and limit at the largest safe integer', () => {
    expect(sliceOf({ page: 1e300, limit: 1e300 })).toEqual({
      offset: Number.MAX_SAFE_INTEGER,
      limit: Number.MAX_SAFE_INTEGER,
    });
  });
});
