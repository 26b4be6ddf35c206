import { isUtf8 } from 'node:buffer';
import { cases, codePoint } from '@fairlead/test-support/properties';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Application, createApp, errorHandler, json } from '../src/index.js';

const app: Application = createApp()
  .use(errorHandler(), json({ limit: '4mb' }))
  .use((ctx) => {
    ctx.set('X-Parsed', String(ctx.body !== undefined));
    ctx.json(ctx.body === undefined ? null : ctx.body);
  });

async function post(body: Uint8Array | string) {
  const headers = { 'Content-Type': 'application/json' };
  const response = await app.request('/', { method: 'POST', body, headers });
  return { status: response.status, text: await response.text() };
}

/** The acceptable responses to a text, according to JSON.parse. */
function permitted(text: string): { status: number; text?: string }[] {
  const refused = { status: 400, text: expect.stringContaining('"code":') };
  try {
    return [{ status: 200, text: JSON.stringify(JSON.parse(text)) }, refused];
  } catch {
    return [text === '' ? { status: 200, text: 'null' } : refused];
  }
}

async function assertAgrees(text: string): Promise<void> {
  const response = await post(text);
  expect(permitted(text)).toContainEqual(response);
}

/** JSON and almost-JSON: numbers of any size, repeated keys, lone surrogates. */
const { json: jsonText } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom('null', 'true', '""', '"\\ud800"', '"\\udc00\\ud800"', '1e999', '-0', '1E-400'),
    fc.constantFrom('NaN', '01', '+1', '.5', '1.', "'a'", 'undefined', '/**/1', '\u00a01', '"\t"'),
    fc.bigInt().map(String),
    fc.double().map(String),
    fc.string({ unit: codePoint, maxLength: 8 }).map((text) => JSON.stringify(text)),
    fc.array(tie('json'), { maxLength: 4 }).map((items) => `[${items.join()}]`),
    fc
      .array(fc.tuple(fc.constantFrom('a', 'a', 'b', '', '0', 'toString'), tie('json')), {
        maxLength: 4,
      })
      .map((members) => `{${members.map(([key, text]) => `"${key}":${text}`).join()}}`),
  ),
}));

describe('a body equals the result of JSON.parse, or gets 400', () => {
  it('for any value', async () => {
    await fc.assert(fc.asyncProperty(jsonText, assertAgrees), { numRuns: cases(120), seed: 1 });
  });

  it('for any text', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.tuple(jsonText, fc.nat(), fc.string({ maxLength: 2 })).map(([json, at, piece]) => {
        const index = at % (json.length + 1);
        return json.slice(0, index) + piece + json.slice(index + 1);
      }),
    );
    await fc.assert(
      fc.asyncProperty(
        text.map((text) => Buffer.from(text).toString()),
        assertAgrees,
      ),
      { numRuns: cases(120), seed: 2 },
    );
  });

  it.each([
    ['a number past every limit', '9'.repeat(100_000)],
    ['a fraction of a hundred thousand digits', `0.${'1'.repeat(100_000)}`],
    ['an exponent past every limit', `1e${'9'.repeat(1_000)}`],
    ['one key a hundred thousand times', `{${'"a":1,'.repeat(100_000)}"a":2}`],
    ['999 levels', `${'['.repeat(999)}${']'.repeat(999)}`],
    ['100,000 levels that never end', '['.repeat(100_000)],
    ['a lone surrogate as an escape', '"\\udfff"'],
    ['a key that is half a character', '{"\\ud83d":"\\ude00"}'],
    ['spaces alone', ' '.repeat(1_000)],
    ['a NUL', '\0'],
    ['a line separator', '"\u2028"'],
  ])('%s', async (_, text) => {
    await assertAgrees(text);
  });
});

it('one byte order mark is ignored, unlike in JSON.parse', async () => {
  expect(await post('\uFEFF{"a":1}')).toEqual({ status: 200, text: '{"a":1}' });
  expect(await post('\uFEFF')).toMatchObject({ status: 400 });
  expect(await post('\uFEFF\uFEFF1')).toMatchObject({ status: 400 });
});

it('invalid UTF-8 is always rejected', async () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 12 }).map((bytes) => {
    return Buffer.concat([Buffer.from('"'), bytes, Buffer.from('"')]);
  });
  await fc.assert(
    fc.asyncProperty(
      bytes.filter((bytes) => !isUtf8(bytes)),
      async (body) => {
        expect((await post(body)).status).toBe(400);
      },
    ),
    { numRuns: cases(80), seed: 3 },
  );
});

/** Depth of a value whose containers have one member each. */
function depthOf(value: unknown): number {
  let depth = 0;
  for (let level = value; typeof level === 'object' && level !== null; depth += 1) {
    level = Object.values(level)[0];
  }
  return depth;
}

it.each([
  ['arrays', 1_000, '[', ']'],
  ['objects', 1_000, '{"a":', '}'],
  ['both', 500, '[{"a":', '}]'],
])(
  'as many levels of %s as are accepted are what JSON.parse makes of them',
  async (_, levels, open, close) => {
    const text = `${open.repeat(levels)}1${close.repeat(levels)}`;
    const deep = createApp().use(errorHandler(), json(), (ctx) => ctx.json(depthOf(ctx.body)));
    const headers = { 'Content-Type': 'application/json' };
    const response = await deep.request('/', { method: 'POST', body: text, headers });
    expect(await response.json()).toBe(depthOf(JSON.parse(text)));
  },
);
