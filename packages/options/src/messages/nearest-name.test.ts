import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearestName } from './nearest-name.js';

describe('nearestName', () => {
  it.each([
    ['limti', 'limit'],
    ['LIMIT', 'limit'],
    ['raw_body', 'rawBody'],
    ['typ', 'type'],
    ['middlewares', undefined],
    ['', undefined],
    // An edit away from a candidate that is too long to compare.
    ['x'.repeat(64), undefined],
    ['x'.repeat(66), undefined],
  ])('%s → %s', (name, expected) => {
    expect(nearestName(name, ['limit', 'rawBody', 'type', 'x'.repeat(65)])).toBe(expected);
  });

  it('finds a name after any single edit', () => {
    const names = ['middleware', 'interceptors', 'controllers', 'validationStatus'];
    const edit = fc.tuple(fc.constantFrom(...names), fc.nat(9), fc.constantFrom('', 'x', 'xy'));
    fc.assert(
      fc.property(edit, ([name, index, text]) => {
        const edited = name.slice(0, index) + text + name.slice(index + 1);
        expect(nearestName(edited, names)).toBe(name);
      }),
    );
  });
});
