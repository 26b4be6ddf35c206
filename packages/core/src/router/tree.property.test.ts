import { cases } from '@fairlead/test-support/properties';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type PathRules, parsePattern } from './pattern.js';
import { type Match, Tree } from './tree.js';

interface PlainRoute {
  readonly method: string;
  /** Static texts, `:`, texts with `:` in them, and a final `*`. */
  readonly steps: readonly string[];
}

const staticText = fc.constantFrom('a', 'b', 'A', 'é', 'ab', 'abc', 'è');
const affix = fc.constantFrom('a:', ':-b', ':-:', 'a:-:-B', ':.é', 'A:', ':9', ':3:-');
const step = fc.oneof({ weight: 2, arbitrary: staticText }, fc.constant(':'), affix);
const end = fc.constantFrom<readonly string[]>([], [], ['*'], ['']);
const plainRoute: fc.Arbitrary<PlainRoute> = fc.record({
  method: fc.constantFrom('GET', 'POST', 'HEAD', 'ALL'),
  steps: fc
    .tuple(fc.array(step, { maxLength: 3 }), end)
    .map(([steps, last]) => [...steps, ...last])
    // '/' is the root, not an empty segment below it.
    .filter((steps) => steps.join() !== '' || steps.length === 0),
});
const routeSet = fc.uniqueArray(plainRoute, {
  maxLength: 12,
  selector: ({ method, steps }) => `${method} ${steps.join('/').toLowerCase().replace(/\/?$/, '')}`,
});
const path = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: staticText },
      fc.constantFrom('', 'c'),
      fc.string({ unit: fc.constantFrom('a', 'b', 'B', '3', '9', '-', 'é', '/'), maxLength: 6 }),
    ),
    { maxLength: 5 },
  )
  .map((texts) => `/${texts.map(encodeURIComponent).join('/')}`);
const rules: fc.Arbitrary<PathRules> = fc.record({
  caseSensitive: fc.boolean(),
  strict: fc.boolean(),
});

function patternOf({ steps }: PlainRoute): string {
  const texts = steps.map((step, index) =>
    step
      // A letter or digit after a parameter would be part of its name.
      .replace(/(?<=:)[a-zA-Z0-9]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)
      .replace(/[:*]/g, (mark, at) => `${mark}p${index}_${at}`),
  );
  return `/${texts.join('/')}`;
}

/** Matches a segment with a regular expression, in which an escape is one character. */
function matchStep(step: string, text: string, caseSensitive: boolean): string[] | undefined {
  const literals = step.split(':').map((text) => encodeURIComponent(text).replace('.', '\\.'));
  const source = literals.join('((?:%..|[^%])+?)');
  return new RegExp(`^${source}$`, caseSensitive ? '' : 'i').exec(text)?.slice(1);
}

/** Ranks a step of a pattern. Lower ranks, in lexical order, take precedence. */
function rankOf(step: string, fold: (text: string) => string): string {
  if (step === '*') return '3';
  if (step === ':') return '2';
  if (!step.includes(':')) return '0';
  const literals = step.split(':').map((text) => fold(encodeURIComponent(text)));
  return `1${99 - literals.join('').length}${literals.join('/:')}`;
}

/** Finds the best route by trying all of them. */
function findNaively(
  routes: readonly PlainRoute[],
  { caseSensitive, strict }: PathRules,
  method: string,
  path: string,
): Match<PlainRoute> | undefined {
  const fold = (text: string) => (caseSensitive ? text : text.toLowerCase());
  const trimmed = path === '/' || !strict ? path.replace(/\/$/, '') : path;
  const texts = trimmed.split('/').slice(1);
  const candidates = routes.flatMap((route) => {
    const steps = strict ? route.steps : route.steps.filter((step) => step !== '');
    const isOpen = steps.at(-1) === '*';
    const fixed = isOpen ? steps.slice(0, -1) : steps;
    const fits =
      (isOpen ? texts.length >= fixed.length : texts.length === fixed.length) &&
      fixed.every((step, index) => matchStep(step, texts[index] ?? '', caseSensitive));
    const methodRank = [method, method === 'HEAD' ? 'GET' : method, 'ALL'].indexOf(route.method);
    if (!fits || methodRank === -1) return [];
    const rank = steps.map((step) => rankOf(step, fold)).join('');
    const params = fixed.flatMap(
      (step, index) => matchStep(step, texts[index] ?? '', caseSensitive) ?? [],
    );
    const rest = isOpen
      ? [
          path
            .split('/')
            .slice(fixed.length + 1)
            .join('/'),
        ]
      : [];
    return [{ rank: `${rank} ${methodRank}`, value: route, rawParams: [...params, ...rest] }];
  });
  const [best] = candidates.sort((a, b) => (a.rank < b.rank ? -1 : 1));
  return best && { value: best.value, rawParams: best.rawParams };
}

function grow(routes: readonly PlainRoute[], rules: PathRules): Tree<PlainRoute> {
  const tree = new Tree<PlainRoute>(rules);
  for (const route of routes) tree.insert(route.method, parsePattern(patternOf(route)), route);
  return tree;
}

const method = fc.constantFrom('GET', 'POST', 'HEAD', 'PUT');

it('the tree finds what a naive linear matcher finds', () => {
  fc.assert(
    fc.property(routeSet, rules, method, path, (routes, rules, method, path) => {
      const found = grow(routes, rules).find(method, path);
      expect(found).toEqual(findNaively(routes, rules, method, path));
    }),
    { numRuns: cases(1_000) },
  );
});

it('the order of insertion has no effect', () => {
  fc.assert(
    fc.property(routeSet, rules, method, path, (routes, rules, method, path) => {
      const backward = grow(routes.toReversed(), rules).find(method, path);
      expect(backward).toEqual(grow(routes, rules).find(method, path));
    }),
    { numRuns: cases(250) },
  );
});

it('the methods of a path are the methods of all routes that match it', () => {
  fc.assert(
    fc.property(routeSet, rules, path, (routes, rules, path) => {
      const matching = routes.filter((route) => findNaively([route], rules, route.method, path));
      expect(grow(routes, rules).methods(path)).toEqual(
        new Set(matching.map((route) => route.method)),
      );
    }),
    { numRuns: cases(500) },
  );
});
