import { cases } from '@fairlead/test-support/properties';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseJson } from './parsers.js';

const parse = (text: string) => parseJson(Buffer.from(text));

/** The result of `parseJson`: its value, or the code of its error. */
function outcome(text: string): unknown {
  try {
    return { value: parse(text) };
  } catch (error) {
    return { code: (error as { code?: unknown }).code };
  }
}

/** The same by JSON.parse, with a reviver that rejects forbidden keys. */
function expected(text: string): unknown {
  let code = 'MALFORMED_JSON';
  try {
    const value: unknown = JSON.parse(text, (key, member) => {
      const isPolluting = key === '__proto__' || (key === 'constructor' && hasPrototype(member));
      if (!isPolluting) return member;
      code = 'FORBIDDEN_KEY';
      throw new Error(key);
    });
    return { value };
  } catch {
    return { code };
  }
}

function hasPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}

const key = fc.oneof(
  fc.string({ maxLength: 3 }),
  fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString'),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(null, true, 0, 'constructor', '__proto__'),
    fc.string({ unit: 'grapheme', maxLength: 4 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: false }),
  ),
}));

/** Escapes some characters of a text as `\u`, which preserves its meaning. */
function escapeLetters(text: string): string {
  return text.replace(
    /[_oy]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

it('agrees with JSON.parse, or rejects a forbidden key', () => {
  fc.assert(
    fc.property(value, (value) => {
      const text = JSON.stringify(value);
      expect(outcome(text)).toEqual(expected(text));
    }),
    { numRuns: cases(500) },
  );
});

it('does not depend on how a key is escaped', () => {
  fc.assert(
    fc.property(value, (value) => {
      const text = JSON.stringify(value).replaceAll('true', '1');
      expect(outcome(escapeLetters(text))).toEqual(outcome(text));
    }),
    { numRuns: cases(500) },
  );
});

it('agrees with JSON.parse on invalid JSON', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"',
    ':',
    ',',
    'null',
    '1',
    '-',
    '.',
    'e',
    ' ',
    '\\',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      expect(outcome(pieces.join(''))).toEqual(expected(pieces.join('')));
    }),
    { numRuns: cases(500) },
  );
});

it('keeps the reason of the JSON parser as the cause', () => {
  expect(() => parse('{')).toThrow(
    expect.objectContaining({ status: 400, cause: expect.any(SyntaxError) }),
  );
});

it('ignores one byte order mark', () => {
  expect(parse('\uFEFF{}')).toEqual({});
  expect(() => parse('\uFEFF\uFEFF{}')).toThrow('it does not follow the JSON grammar');
});

it.each([
  ['a lone continuation byte', [0x22, 0x80, 0x22]],
  ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
  ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
  ['a cut-off character', [0x22, 0xe2, 0x82]],
])('rejects %s, which is not UTF-8', (_, bytes) => {
  expect(() => parseJson(Buffer.from(bytes))).toThrow(
    'The body is not valid JSON: it is not valid UTF-8.',
  );
});

it('takes U+FFFD, which also stands for bytes that are not UTF-8, as any other character', () => {
  expect(parse('{"name":"\uFFFD"}')).toEqual({ name: '\uFFFD' });
});

it('finds a forbidden key at any depth', () => {
  const depth = 499;
  const text = `${'[{"a":'.repeat(depth)}{"__proto__":1}${'}]'.repeat(depth)}`;
  expect(() => parse(text)).toThrow("The body contains the forbidden key '__proto__'. Remove it.");
});

it.each([
  ['arrays', '[', ']'],
  ['objects', '{"a":', '}'],
])('accepts 1,000 levels of %s, and no more', (_, open, close) => {
  const nested = (depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`;
  expect(() => parse(nested(1_000))).not.toThrow();
  for (const depth of [1_001, 100_000]) {
    expect(() => parse(nested(depth))).toThrow(expect.objectContaining({ code: 'JSON_TOO_DEEP' }));
  }
});
