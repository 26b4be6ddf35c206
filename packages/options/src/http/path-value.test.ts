import { codePoint } from '@fairlead/test-support/properties';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodePathValue, encodeWildcardValue, fillPath } from './path-value.js';

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

/** Fills a path whose parameters are like `{id}`. */
const fill = (path: string, values: Readonly<Record<string, unknown>>) =>
  fillPath(
    path,
    /(\{[^{}]*\})/,
    (parameter) => {
      const name = parameter.slice(1, -1);
      return { subject: name, value: values[name], isWildcard: name === 'rest' };
    },
    (problem) => {
      throw new TypeError(problem);
    },
  );

it.each([
  ['/a/{id}', { id: 'b/c' }, '/a/b%2Fc'],
  ['/a/{rest}', { rest: 'b/c' }, '/a/b/c'],
  ['/a/{ids}', { ids: ['b', 1, true] }, '/a/b%2C1%2Ctrue'],
  ['/a/{rest}', { rest: ['b/c', 'd'] }, '/a/b/c%2Cd'],
  ['/{from}-{to}.png', { from: 'a', to: 'b-c' }, '/a-b-c.png'],
])('fillPath() replaces the parameters of %s by %j', (path, values, filled) => {
  expect(fill(path, values)).toBe(filled);
});

it.each([[['1,2']], [[' a']], [['a', 'b\u00a0']], [['', 'a']], [['a', null]], [[['a']]], [[]]])(
  'fillPath() refuses the list %j, whose elements would not stay apart or as they are',
  (ids) => {
    expect(() => fill('/a/{ids}', { ids })).toThrow('ids cannot be part of a path. Pass a list of');
  },
);

it.each([
  ['/{a}-{b}', { a: 'b-c', b: 'd' }, "a value contains '-', which ends it. Pass another value."],
  ['/{a}X{b}', { a: 'bx', b: 'c' }, "a value contains 'x', which ends it. Pass another value."],
  ['/{a}-{b}', { b: 'd' }, 'a is missing. Pass it.'],
])('fillPath() refuses values of %s that would not stay apart: %j', (path, values, problem) => {
  expect(() => fill(path, values)).toThrow(new TypeError(problem));
});
