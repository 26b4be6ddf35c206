import fc from 'fast-check';
import { expect, it } from 'vitest';
import { withoutIgnoredEnd } from './shield.js';

/** What `withoutIgnoredEnd()` removes, as a regular expression that takes cubic time. */
const IGNORED_END = /(?::.*\$.*|[. ]+)$/;

it('the end of a name that Windows ignores is what a regular expression matches', () => {
  const names = fc
    .array(fc.constantFrom(':', '$', '.', ' ', '\n', '\r', '\u2028', '\u2029', 'a'), {
      maxLength: 12,
    })
    .map((characters) => characters.join(''));
  fc.assert(
    fc.property(names, (name) => {
      expect(withoutIgnoredEnd(name)).toBe(name.replace(IGNORED_END, ''));
    }),
    { numRuns: 5_000 },
  );
});
