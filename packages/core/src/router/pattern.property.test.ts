import { cases } from '@fairlead/test-support/properties';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeParameter } from '../exchange/params.js';
import { normalizePath } from '../server/target.js';
import { InvalidPatternError } from '../setup/setup-error.js';
import { isBelow, parsePattern, shapesOf } from './pattern.js';
import { Tree } from './tree.js';

/** Returns the values of a pattern's parameters; undefined when the pattern does not match the path. */
function match(pattern: string, path: string): readonly string[] | undefined {
  const tree = new Tree<true>({ caseSensitive: true, strict: true });
  tree.insert('GET', parsePattern(pattern), true);
  return tree.find('GET', normalizePath(path) ?? '')?.rawParams.map(decodeParameter);
}

/** Escapes a character, even if a path may contain it as is. */
const escapeAll = (text: string) =>
  Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

/** Splits text into code points. */
const spelled = (text: string, spell: (character: string, index: number) => string) =>
  Array.from(text, spell).join('');

const segment = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc.string({ unit: fc.constantFrom(...'*?#(){}[]<>|\\^$+:@~.% /a'), minLength: 1 }),
  )
  .filter((text) => !text.includes('\0') && text !== '.' && text !== '..');

/** Each character as it is if RFC 3986 §3.3 allows that, and escaped if not or if `choices` says so. */
const send = (text: string, choices: readonly boolean[]) =>
  spelled(text, (character, index) =>
    /[\w\-.~!$&'()*+,;=:@]/.test(character) && choices[index] === true
      ? character
      : escapeAll(character),
  );

it('an escaped pattern matches its text, escaped by the client or not', () => {
  fc.assert(
    fc.property(segment, fc.infiniteStream(fc.boolean()), (text, choices) => {
      const sent = send(text, [...choices.take(text.length)]);
      expect(match(`/${escapeAll(text)}`, `/${sent}`)).toEqual([]);
      expect(match(`/a/:id${escapeAll(text)}`, `/a/7${sent}`)).toEqual(['7']);
    }),
    { numRuns: cases(500) },
  );
});

it('an escaped pattern matches nothing else', () => {
  fc.assert(
    fc.property(segment, segment, (text, other) => {
      fc.pre(text !== other);
      expect(match(`/${escapeAll(text)}`, `/${encodeURIComponent(other)}`)).toBeUndefined();
    }),
    { numRuns: cases(500) },
  );
});

/** Whether a pattern is valid. */
function isValid(pattern: string): boolean {
  try {
    return Object.isFrozen(parsePattern(pattern));
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidPatternError);
    return false;
  }
}

const piece = fc.constantFrom(
  ...[...'*?#(){}[]<>|\\^$+:@~.%= /ab1é\t', ':id', '*rest', '%2e', '//', '%3A', '%00', '%61'],
);
const validPattern = fc
  .array(piece, { maxLength: 7 })
  .map((pieces) => `/${pieces.join('')}`)
  .filter(isValid);

it('a valid pattern matches the URL that it seems to describe, with its values', () => {
  fc.assert(
    fc.property(validPattern, (pattern) => {
      const filled = pattern.replace(/(?<=\/)\*[^/]*$|:[\p{L}_][\p{L}\p{N}_]*/gu, '7');
      const { pathname, search, hash } = new URL(filled, 'http://localhost');
      expect([search, hash]).toEqual(['', '']);
      expect(match(pattern, pathname)).toEqual(parsePattern(pattern).names.map(() => '7'));
    }),
    { numRuns: cases(1_000) },
  );
});

const escapes = fc.constantFrom('%61', '%41', '%62', '-', '%3A', '%2A', '%2F', '%C3%A9');
/** A segment with up to three parameters, `:p1` and so on. */
const part = fc
  .array(fc.string({ unit: escapes, maxLength: 3 }), { minLength: 1, maxLength: 4 })
  .map((literals) => literals.reduce((text, literal, index) => `${text}:p${index}${literal}`))
  .filter((text) => text !== '' && isValid(text));
const values = fc.array(fc.string({ unit: escapes, minLength: 1, maxLength: 3 }), {
  minLength: 4,
  maxLength: 4,
});

/** Whether a prefix covers a pattern, and whether it matches a path. */
function compare(prefix: string, pattern: string, path: string, caseSensitive: boolean) {
  const rules = { caseSensitive, strict: true };
  const tree = new Tree<true>(rules);
  tree.insert('GET', parsePattern(prefix), true);
  const [shapes = [], others = []] = [prefix, pattern].map((text) =>
    shapesOf(parsePattern(text).segments, rules),
  );
  const matches = tree.find('GET', normalizePath(`/${path}`) ?? '') !== undefined;
  return { covers: isBelow(shapes, others), matches };
}

it('a prefix covers static text exactly if it matches it', () => {
  const text = part.filter((pattern) => !pattern.includes(':'));
  fc.assert(
    fc.property(part, text, fc.boolean(), (prefix, pattern, caseSensitive) => {
      const { covers, matches } = compare(prefix, pattern, pattern, caseSensitive);
      expect(covers).toBe(matches);
    }),
    { numRuns: cases(1_000) },
  );
});

it('a prefix that covers a pattern matches all its paths', () => {
  fc.assert(
    fc.property(part, part, values, fc.boolean(), (prefix, pattern, filled, caseSensitive) => {
      const path = pattern.replaceAll(/:p(\d)/g, (_name, index) => filled[index] ?? '');
      const { covers, matches } = compare(prefix, pattern, path, caseSensitive);
      fc.pre(covers);
      expect(matches).toBe(true);
    }),
    { numRuns: cases(500) },
  );
});
