import { cases, codePoint } from '@fairlead/test-support/properties';
import fc from 'fast-check';
import Negotiator from 'negotiator';
import { describe, expect, it } from 'vitest';
import { acceptedCodings } from './content-codings.js';

type Encoding = 'zstd' | 'br' | 'gzip';

const ALL: readonly Encoding[] = ['zstd', 'br', 'gzip'];

const negotiate = (header: string | undefined, available: readonly Encoding[]) =>
  acceptedCodings(header, available)[0];

describe('Accept-Encoding', () => {
  it.each<[string | undefined, string | undefined]>([
    [undefined, 'identity'],
    ['', 'identity'],
    [' , ,', 'identity'],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['GZip;Q=0.5', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip;q=0.9, br;q=0.8', 'gzip'],
    ['gzip ; q=1.000 , br;q=0.999', 'gzip'],
    ['deflate', 'identity'],
    ['*', 'zstd'],
    ['*, zstd;q=0', 'br'],
    ['*;q=0.1, gzip', 'gzip'],
    ['*;q=0', undefined],
    ['*;q=0, identity', 'identity'],
    ['identity', 'identity'],
    ['identity;q=0', undefined],
    ['identity;q=0, gzip;q=0.1', 'gzip'],
    ['identity;q=0, deflate', undefined],
    ['identity;q=0.5, gzip;q=0.4', 'identity'],
    ['identity, gzip', 'gzip'],
    ['gzip;q=0', 'identity'],
    ['gzip;q=2', 'identity'],
    ['gzip;q=0.1234', 'identity'],
    ['gzip;q=', 'identity'],
    ['gzip;level=9', 'identity'],
    ['gzip;q=1;x=1', 'identity'],
  ])('%j selects %s', (header, coding) => {
    expect(negotiate(header, ALL)).toBe(coding);
  });

  it('selects only what is available', () => {
    expect(negotiate('br, gzip;q=0.1', ['gzip'])).toBe('gzip');
  });
});

describe('any Accept-Encoding', () => {
  const coding = fc.constantFrom('gzip', 'br', 'zstd', 'deflate', 'identity', '*', 'compress');
  const weight = fc.constantFrom('', ';q=0', ';q=0.001', '; q=0.5', ';q=0.999', ' ; q=1', ';q=1.0');
  const listed = fc
    .uniqueArray(fc.tuple(coding, weight), { selector: ([name]) => name })
    .map((elements) => elements.map((element) => element.join('')).join(', '));
  const available = fc.shuffledSubarray([...ALL], { minLength: 1 });

  it('selects what negotiator selects', () => {
    fc.assert(
      fc.property(listed, available, (header, codings) => {
        const negotiator = new Negotiator({ headers: { 'accept-encoding': header } });
        const choices = [...codings, 'identity'];
        // The types of the package lack the second argument.
        const encodings: (codings: string[], options: object) => string[] = negotiator.encodings;
        const [expected] = encodings.call(negotiator, choices, { preferred: choices });
        expect(negotiate(header, codings)).toBe(expected);
      }),
      { numRuns: cases(150) },
    );
  });

  it('never selects a coding that the text does not name', () => {
    const text = fc.oneof(
      fc.string({ unit: codePoint, maxLength: 60 }),
      fc.string({ unit: fc.constantFrom(...ALL, 'x-', ...'*;q=01., \t"\\'), maxLength: 12 }),
    );
    fc.assert(
      fc.property(text, (header) => {
        const selected = negotiate(header, ALL) ?? 'identity';
        const named = ALL.filter(
          (coding) => header.toLowerCase().includes(coding) || header.includes('*'),
        );
        expect([...named, 'identity']).toContain(selected);
      }),
      { numRuns: cases(150) },
    );
  });
});
