import { join } from 'node:path';
import { expect, it } from 'vitest';
import { blockAt, instrument, mutantsOf } from '../src/mutation/mutants.js';
import { shuffledMutants } from '../src/mutation/package.js';
import { KINDS, type Recorded, wilson, writePage } from '../src/mutation/page.js';
import results from '../src/mutation/results.json' with { type: 'json' };

const workspace = join(import.meta.dirname, '../..');

const recorded: Readonly<Record<string, Recorded>> = results;

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

it('docs/contributing/mutation.md has the recorded results of every package', async () => {
  await expect(writePage(recorded)).toMatchFileSnapshot(
    join(workspace, 'docs/contributing/mutation.md'),
  );
});

it('each survivor of the recorded runs has a kind that the page explains', () => {
  const survivors = Object.values(recorded).flatMap((one) => one.survivors);
  const kinds = survivors.map(({ kind = 'open' }) => kind);
  expect(Object.keys(KINDS)).toEqual(expect.arrayContaining(kinds));
});

it('the score leaves out equivalent mutants, and has an interval', () => {
  const place = { file: 'src/a.ts', line: 1, text: 'a < b', before: '<', after: '<=' };
  const survivors = [
    place,
    { ...place, line: 2, kind: 'equivalent', note: 'They are never equal.' },
  ];
  const run = { commit: 'abcdefghij', date: '2026-01-01', seed: 3, mutants: 500, timedOut: 1 };
  const page = writePage({ di: { ...run, sampled: 101, survivors } });
  expect(page).toContain(
    '| [di](#di) | 101 of 500 | 99, 1 by waiting | 1 | **99.0 %** | 94.6 to 99.8 % | 93 % | `abcdefg`, 2026-01-01, 3 |',
  );
  expect(page).toContain('| equivalent | 1 |');
  expect(page).toContain('| open | 1 |');
  expect(page).toContain('| src/a.ts:2 | `<` → `<=` | equivalent: They are never equal. |');
});

it.each([
  [0, 10, 0, 0.278],
  [81, 263, 0.255, 0.366],
  [10, 10, 0.722, 1],
])('the interval of %i of %i is %f to %f', (part, total, low, high) => {
  const [least, most] = wilson(part, total);
  expect(least).toBeCloseTo(low, 3);
  expect(most).toBeCloseTo(high, 3);
});

it('a seed selects the same mutants of a package again, and another one others', () => {
  const folder = join(workspace, 'packages/options');
  const [first, again, other] = [1, 1, 2].map((seed) =>
    shuffledMutants(folder, seed).map(({ file, start, after }) => `${file} ${start} ${after}`),
  );
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
  expect(other?.toSorted()).toEqual(first?.toSorted());
});

it('an instrumented source notes the blocks that run, on the same lines', () => {
  const source =
    '// A note.\nconst f = (a) => (a ? g(() => a + 1) : 0);\nfunction g(h) {\n  if (h.b) { h.c(); }\n  return h() < 3;\n}\nf(1);\n';
  const code = instrument(source, 'a.ts');
  expect(code.split('\n')).toHaveLength(source.split('\n').length);
  const ran: unknown[] = [];
  const run = new Function('globalThis', code);
  run({ __ran: (...one: unknown[]) => ran.push(one) });
  const reached = ['// A', 'a ?', '< 3', 'a + 1'].map((text) =>
    blockAt(source, source.indexOf(text)),
  );
  expect(ran).toEqual(reached.map((block) => ['a.ts', block]));
  expect(reached).not.toContain(blockAt(source, source.indexOf('h.c')));
});
