import { describe, expect, it } from 'vitest';
import { sliceOf } from './pagination.js';

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
