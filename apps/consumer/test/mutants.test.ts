import { expect, it } from 'vitest';
import { mutantsOf } from '../src/mutation/mutants.js';

it.each([
  ['a > b', ['a >= b', 'a <= b']],
  ['a && !b', ['a || !b', 'a && b']],
  ['f({ a: true })', [';', 'f({ a: false })']],
  ['const a = 1_000', ['const a = 1001']],
  ['const a = b.toLowerCase().trim()', ['const a = b.toLowerCase()', 'const a = b.trim()']],
  ['const a = /x/gi', ['const a = /x/g']],
  ['if (a) return b', ['{}']],
  ['const a: 1 | true = b', []],
  ['interface A { b: true }', []],
  ['class A extends B { constructor() { super() } }', []],
  ["const a = 'true && 1'", []],
])('the mutants of %s', (source, expected) => {
  expect(mutantsOf(source).map(({ code }) => code)).toEqual(expected);
});

it('names the line of a mutant, and what it replaces', () => {
  const [mutant] = mutantsOf('const a = 1;\n\nconst b = a < c;\n').slice(1);
  expect(mutant).toMatchObject({ line: 3, before: '<', after: '<=' });
});
