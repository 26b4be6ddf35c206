import fc from 'fast-check';

/**
 * The number of cases of a property that is too slow for more on each run.
 *
 * @param count - Cases of an ordinary run. `TEST_CASES` multiplies it.
 */
export function cases(count: number): number {
  return count * Number(process.env.TEST_CASES ?? 1);
}

const upTo = (max: number): fc.Arbitrary<string> =>
  fc.nat(max).map(
    (code) => String.fromCodePoint(code),
    (text) =>
      typeof text === 'string' && [...text].length === 1 ? Number(text.codePointAt(0)) : -1,
  );

/**
 * Any code point, lone surrogates included, as a unit of `fc.string()`. The unit `binary` of fast-check has
 * the same, but its first text takes a second.
 */
export const codePoint: fc.Arbitrary<string> = fc.oneof(upTo(0x7f), upTo(0xffff), upTo(0x10ffff));
