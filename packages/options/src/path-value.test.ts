import { codePoint } from '@fairlead/test-support/properties';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodePathValue, encodeWildcardValue } from './path-value.js';

/** Any text, most of which is made of what URLs treat specially. */
const text = fc.oneof(
  fc.string({ unit: codePoint }),
  fc.string({
    unit: fc.constantFrom('.', '/', '\\', '%', '2', 'e', '?', '#', '\0', '\ud800', 'a'),
  }),
);

it('an encoded value is one segment of a URL, which decodes to the value', () => {
  fc.assert(
    fc.property(text, (value) => {
      const encoded = encodePathValue(value);
      fc.pre(encoded !== undefined);
      const { pathname } = new URL(`http://localhost/a/${encoded}/b`);
      expect(pathname.split('/').map(decodeURIComponent)).toEqual(['', 'a', value, 'b']);
    }),
  );
});

it('an encoded wildcard is the end of the path of a URL, which decodes to the value', () => {
  fc.assert(
    fc.property(text, (value) => {
      const encoded = encodeWildcardValue(value);
      fc.pre(encoded !== undefined);
      const { pathname } = new URL(`http://localhost/a/${encoded}`);
      expect(pathname.split('/').slice(2).map(decodeURIComponent).join('/')).toBe(value);
      expect(pathname).not.toContain('//');
    }),
  );
});

it('every text without NUL and lone surrogates that is not empty, . or .. can be encoded', () => {
  fc.assert(
    fc.property(text, (value) => {
      const isPossible = value.isWellFormed() && !/^\.{0,2}$|\0/.test(value);
      expect(encodePathValue(value) !== undefined).toBe(isPossible);
    }),
  );
});
