import { describe, expect, it } from 'vitest';
import { allowedMethods } from './method-not-allowed.js';

describe('allowedMethods', () => {
  it.each([
    [['POST'], 'OPTIONS, POST'],
    [['PUT', 'GET', 'DELETE'], 'DELETE, GET, HEAD, OPTIONS, PUT'],
    [[], 'OPTIONS'],
    [['ALL'], 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT, QUERY'],
    [['ALL', 'REPORT'], 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT, QUERY, REPORT'],
  ])('formats %j as %s', (methods, value) => {
    expect(allowedMethods(new Set(methods)).join(', ')).toBe(value);
  });
});
