import { Readable } from 'node:stream';
import { createApp, errorHandler } from '@fairlead/core';
import { cases } from '@fairlead/test-support/properties';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { multipart } from '../src/index.js';
import { BOUNDARY, field, file, form, HEADERS, part, post, statusAndCode } from './support/form.js';
import { serve } from './support/serve.js';

const unhandled: unknown[] = [];
const record = (error: unknown) => void unhandled.push(error);
beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', record);
});
afterEach(() => {
  process.off('unhandledRejection', record);
  expect(unhandled).toEqual([]);
});

const errors: unknown[] = [];
const app = createApp().use(
  errorHandler({ onError: (error) => errors.push(error) }),
  multipart({ rules: { a: { maxCount: 3 }, j: { json: true } }, limits: { parts: 20 } }),
  (ctx) => ctx.json(ctx.body ?? null),
);

const piece = fc.oneof(
  fc.constantFrom(
    ...[`--${BOUNDARY}`, `\r\n--${BOUNDARY}`, `--${BOUNDARY}--`, `\n--${BOUNDARY}\n`, '--', '-'],
    ...['\r\n', '\r\n\r\n', '\n', '\r', '\0', ' ', '\t', ':', ';', '"', '\\', '=', "'", '*'],
    ...['Content-Disposition: form-data; name="a"', 'Content-Disposition: form-data; name="'],
    ...['Content-Disposition:', 'form-data', '; name=j', '; filename="b"', "; filename*=utf-8''%"],
    ...['Content-Type: application/json', 'Content-Transfer-Encoding: base64', '__proto__: x'],
    ...['__proto__', '{}', '\xff\xfe', 'x'.repeat(300), BOUNDARY],
  ),
  fc.constantFrom(field('a', 'b'), file('a', 'b', 'c'), file('j', 'blob', '{}'), field('j', '[')),
  fc.string({ unit: 'binary-ascii', maxLength: 8 }),
);

describe('a hostile body', () => {
  it('is a form or a 4xx, however it is cut', async () => {
    const { url } = await serve(app);
    const send = async (body: NonNullable<RequestInit['body']>) => {
      const init = { method: 'POST', headers: HEADERS, body, duplex: 'half' as const };
      const response = await fetch(url, init);
      return [response.status, await response.text()] as const;
    };
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 25 }), fc.nat(60), async (pieces, size) => {
        const body = Buffer.from(pieces.join(''), 'latin1');
        const whole = await send(body);
        expect([200, 400, 413, 415]).toContain(whole[0]);
        const chunks = Array.from({ length: Math.ceil(body.length / (size + 1)) }, (_, index) =>
          body.subarray(index * (size + 1), (index + 1) * (size + 1)),
        );
        // A body without a length is read, even if it is empty.
        const cut = await send(body.length === 0 ? body : Readable.from(chunks));
        // With several problems, the order in which they are found depends on the chunks.
        if (whole[0] === 200) expect(cut).toEqual(whole);
        else expect([400, 413, 415]).toContain(cut[0]);
      }),
      { numRuns: cases(50) },
    );
    expect(errors).toEqual([]);
    const [status] = await send(form(field('a', 'b')));
    expect(status).toBe(200);
  });

  it('is a form or a 4xx for every boundary', async () => {
    const boundary = fc.string({ unit: 'binary-ascii', maxLength: 80 });
    await fc.assert(
      fc.asyncProperty(boundary, fc.boolean(), async (text, isQuoted) => {
        const printable = text.replace(/[^\t\x20-\x7e]/g, '-');
        const value = isQuoted ? `"${printable}"` : printable;
        const type = `multipart/form-data; boundary=${value}`;
        const body = form(field('a', 'b')).replaceAll(BOUNDARY, printable);
        const response = await post(app, body, { 'Content-Type': type });
        expect([200, 400]).toContain(response.status);
      }),
    );
  });

  it.each([
    ['100,000 parts', field('a').repeat(100_000), 'TOO_MANY_VALUES'],
    ['100,000 nameless parts', part([]).repeat(100_000), 'MALFORMED_MULTIPART'],
    ['100,000 delimiters', `--${BOUNDARY}\r\n`.repeat(100_000), 'MALFORMED_MULTIPART'],
    ['100,000 files', file('b', 'c').repeat(100_000), 'TOO_MANY_FILES'],
    ['a part with 100,000 headers', part(Array(100_000).fill('a: b')), 'TOO_MANY_PART_HEADERS'],
    ['a header of 5 MB', part([`a: ${'x'.repeat(5e6)}`]), 'PART_HEADERS_TOO_LARGE'],
    ['a preamble of 9 MB', '\r\n-'.repeat(3e6), 'MALFORMED_MULTIPART'],
    [
      'a disposition of 8,000 parameters',
      part([`Content-Disposition: form-data${';a'.repeat(3_900)}`]),
      'MALFORMED_MULTIPART',
    ],
    [
      'a disposition of 8,000 backslashes',
      part([`Content-Disposition: form-data; name="${'\\'.repeat(7_900)}`]),
      'MALFORMED_MULTIPART',
    ],
  ])('of %s is rejected', async (_, body, code) => {
    const response = await post(app, `${body}--${BOUNDARY}--`);
    const [status, received] = await statusAndCode(response);
    expect([received, Math.floor(status / 100)]).toEqual([code, 4]);
  });
});
