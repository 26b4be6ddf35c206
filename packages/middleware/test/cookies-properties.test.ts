import { codePoint } from '@fairlead/test-support/properties';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readCookies, setCookie, signedCookies } from '../src/index.js';
import { readWith, runHandler, toCookieHeader } from './support/run-handler.js';

const signed = signedCookies(['x'.repeat(32)]);

const name = fc
  .stringMatching(/^[\w!#$%&'*+\-.^`|~]{1,20}$/)
  .filter((text) => !/^__(host|secure)-/i.test(text));

/** Any valid value of a cookie. */
const value = fc
  .string({ unit: codePoint, maxLength: 200 })
  .filter((text) => !/[\p{Cc}\p{Cs}]/u.test(text));

it('cookies that were set are read back unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(name, value, { noNullPrototype: false }), async (cookies) => {
      const { setCookie: lines } = await runHandler((ctx) => {
        for (const [key, text] of Object.entries(cookies)) setCookie(ctx, key, text);
      });
      const read = await readWith(toCookieHeader(lines), readCookies);
      expect({ ...read }).toEqual({ ...cookies });
    }),
    { numRuns: 50 },
  );
});

it('signed values are read back, and forged values are not', async () => {
  await fc.assert(
    fc.asyncProperty(name, value, fc.nat(), fc.string(), async (key, text, at, junk) => {
      const { setCookie: lines } = await runHandler((ctx) => signed.set(ctx, key, text));
      const header = toCookieHeader(lines);
      expect(await readWith(header, (ctx) => signed.read(ctx, key))).toBe(text);
      const start = key.length + 1;
      const index = start + (at % (header.length - start));
      const forged = `${header.slice(0, index)}_${encodeURIComponent(junk)}${header.slice(index)}`;
      expect(await readWith(forged, (ctx) => signed.read(ctx, key))).toBeUndefined();
    }),
    { numRuns: 50 },
  );
});

it('reading never throws', async () => {
  const header = fc.string({ unit: fc.constantFrom(...'ab=;%zC3 ",.\t\\é'), maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(header, async (text) => {
      const read = await readWith(text, (ctx) => [readCookies(ctx), signed.read(ctx, 'a')]);
      expect(read).toEqual([expect.anything(), undefined]);
    }),
    { numRuns: 50 },
  );
});
