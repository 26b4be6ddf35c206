import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createApp, errorHandler } from '@fairlead/core';
import { descriptionOf } from '@fairlead/core/extend';
import { describe, expect, it, vi } from 'vitest';
import { type MultipartLimits, multipart, parts } from '../src/index.js';
import { BOUNDARY, field, file, form, HEADERS, part, post, statusAndCode } from './support/form.js';
import { serve } from './support/serve.js';

const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
const rows = [
  ...readme.matchAll(/^\| `(\w+)` +\| ([\d,]+)\b[^|]*\|[^|]*\| `([A-Z_]+)` +\|$/gm),
].map(([, name = '', value = '', code = '']) => ({
  name: name as keyof MultipartLimits,
  value: Number(value.replaceAll(',', '')),
  code,
}));

/** For each limit, a form of the given size or number. */
const examples: Required<{ [Name in keyof MultipartLimits]: (amount: number) => string }> = {
  totalSize: (amount) =>
    `${'x'.repeat(amount - form(field('a')).length - 2)}\r\n${form(field('a'))}`,
  fileSize: (amount) => form(file('a', 'b', 'x'.repeat(amount))),
  fieldSize: (amount) => form(field('a', 'x'.repeat(amount))),
  files: (amount) => form(file('a', 'b').repeat(amount)),
  fields: (amount) => form(field('a').repeat(amount)),
  parts: (amount) => form(file('a', 'b').repeat(10), field('a').repeat(amount - 10)),
  headerPairs: (amount) => form(part([DISPOSITION, ...Array(amount - 1).fill('a: b')])),
  headerSize: (amount) => form(part([DISPOSITION, `a: ${'x'.repeat(amount - 37)}`])),
};

const DISPOSITION = 'Content-Disposition: form-data; name=a';

/** Both ways to read a form, with limits. */
const readers = {
  'multipart()': (limits: MultipartLimits) =>
    createApp().use(errorHandler(), multipart({ limits }), (ctx) => ctx.json(null)),
  'parts() without reading the files': (limits: MultipartLimits) =>
    createApp().use(errorHandler(), async (ctx) => {
      for await (const { kind } of parts(ctx, { limits })) ctx.json(kind);
    }),
};

describe.each(Object.entries(readers))('%s', (_, create) => {
  it.each(rows)('accepts $name up to $value and rejects more', async ({ name, value, code }) => {
    const app = create({});
    expect((await post(app, examples[name](value))).status).toBe(200);
    expect(await statusAndCode(await post(app, examples[name](value + 1)))).toEqual([413, code]);
  });

  it.each(rows)('accepts another limit for $name', async ({ name, code }) => {
    const app = create({ fields: 300, files: 300, parts: 300, [name]: 200 });
    expect((await post(app, examples[name](200))).status).toBe(200);
    expect(await statusAndCode(await post(app, examples[name](201)))).toEqual([413, code]);
  });

  it.each([4_000, 4_093, 4_095, 4_096, 8_192])(
    'rejects a field that is too large, wherever the parser divides the form: %i',
    async (end) => {
      const app = create({ fieldSize: 10 });
      const head = `--${BOUNDARY}\r\n${DISPOSITION}\r\n\r\n`;
      const body = `${head}${'x'.repeat(end - head.length)}\r\n--${BOUNDARY}--\r\n`;
      const { code } = rows.find(({ name }) => name === 'fieldSize') ?? {};
      expect(await statusAndCode(await post(app, body))).toEqual([413, code]);
    },
  );

  it('accepts Infinity as a limit', async () => {
    const app = create({ fileSize: Infinity });
    const large = form(file('a', 'b', 'x'.repeat(6 * 1024 ** 2)));
    expect((await post(app, large)).status).toBe(200);
  });
});

it.each<[unknown, string, ...string[]]>([
  [
    { limits: { filesize: 1, files: '5', parts: undefined } },
    'INVALID_OPTION',
    "multipart({ limits }) has no option 'filesize'. Did you mean 'fileSize'?",
    "files of multipart({ limits }) must be a non-negative integer or Infinity: got '5'.",
  ],
  [
    { fileSize: 1, limits: { fields: -1 } },
    'INVALID_OPTION',
    "multipart() has no option 'fileSize'. Remove it, or use limits, rules, filter, tempFiles or skip.",
    'fields of multipart({ limits }) must be a non-negative integer or Infinity: got -1.',
  ],
  [{ limits: 5 }, 'INVALID_OPTION', 'limits of multipart() must be an object: got 5.'],
  [null, 'INVALID_OPTION', 'options of multipart() must be an object: got null.'],
])('multipart() rejects %j with one error', (options, code, ...messages) => {
  expect(() => Reflect.apply(multipart, undefined, [options])).toThrow(
    expect.objectContaining({ name: 'SetupError', code, message: messages.join('\n') }),
  );
});

it('multipart is a factory, not middleware', () => {
  expect(descriptionOf(multipart)?.role).toBe('factory');
});

it('an invalid limit of parts() is a reported 500', async () => {
  const onError = vi.fn();
  const app = createApp().use(errorHandler({ onError }), async (ctx) => {
    for await (const { kind } of parts(ctx, { limits: { files: -1 } })) ctx.json(kind);
  });
  expect((await post(app, form(field('a')))).status).toBe(500);
  expect(onError).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ name: 'SetupError', code: 'INVALID_OPTION' }),
    expect.anything(),
  );
});

it.each<[MultipartLimits, string]>([
  [{ totalSize: 99 }, 'The form is larger than 99 bytes. Send a smaller one.'],
  [{ fileSize: 1 }, 'A file is larger than 1 bytes. Send a smaller one.'],
  [{ fieldSize: 1 }, 'A field is larger than 1 bytes. Send a shorter value.'],
  [{ files: 0 }, 'The form has too many files. Send at most 0.'],
  [{ fields: 1 }, 'The form has too many fields. Send at most 1.'],
  [{ parts: 2 }, 'The form has too many fields and files. Send at most 2.'],
  [{ headerPairs: 0 }, 'A part has too many headers. Send at most 0.'],
  [{ headerSize: 9 }, 'The headers of a part are larger than 9 bytes. Send shorter ones.'],
])('tells clients that do not know the limits %j what to send', async (limits, detail) => {
  const app = readers['multipart()'](limits);
  const body = form(field('a', 'xx'), field('b'), file('c', 'd', 'xx'));
  expect(await (await post(app, body)).json()).toMatchObject({ status: 413, detail });
});

it('the README lists every limit', () => {
  expect(rows.map(({ name }) => name)).toEqual(Object.keys(examples));
});

it('a body whose Content-Length exceeds totalSize is rejected unread', async () => {
  let wasRead: unknown;
  const app = createApp().use(
    errorHandler(),
    (ctx, next) => Promise.resolve(next()).finally(() => (wasRead = ctx.req.readableDidRead)),
    multipart({ limits: { totalSize: 9 } }),
  );
  expect(await statusAndCode(await post(app, form()))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  expect(wasRead).toBe(false);
});

it('totalSize applies to a body without Content-Length', async () => {
  const { url } = await serve(readers['multipart()']({ totalSize: 100 }));
  const body = Readable.from([form(file('a', 'b', 'x'.repeat(100)))]);
  const response = await fetch(url, { method: 'POST', headers: HEADERS, body, duplex: 'half' });
  expect(await statusAndCode(response)).toEqual([413, 'PAYLOAD_TOO_LARGE']);
});

it.each([
  ['folded', `Content-Type: ${'x'.repeat(5_000)}\r\n ${'x'.repeat(5_000)}`],
  ['repeated', `a: ${'x'.repeat(5_000)}\r\na: ${'x'.repeat(5_000)}`],
  ['far too long', `a: ${'x'.repeat(100_000)}`],
])('headers that are %s count towards headerSize', async (_, header) => {
  const app = readers['multipart()']({});
  const response = await post(app, form(part([DISPOSITION, header])));
  expect(await statusAndCode(response)).toEqual([413, 'PART_HEADERS_TOO_LARGE']);
});
