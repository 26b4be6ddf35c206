import { resolve } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { describeDifferences } from './support/differences.js';
import { makeMistakes, type Result } from './support/make-mistakes.js';
import { renderPage } from './support/page.js';

let results: readonly Result[];

// Some mistakes need a process each. No test waits for this limit.
beforeAll(async () => {
  results = await makeMistakes();
}, 600_000);

it('makes every mistake once', () => {
  const titles = results.map(({ area, title }) => `${area}: ${title}`);

  expect(titles.length).toBeGreaterThan(250);
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
});

it('the page of all mistakes lists where each mistake is reported', async () => {
  const page = resolve(import.meta.dirname, '../../site/pages/all-mistakes.md');

  await expect(renderPage(results)).toMatchFileSnapshot(page);
});

it('reports every mistake where a developer needs it', () => {
  expect(results.flatMap(describeDifferences)).toEqual([]);
});

it('gives wrong options and arguments the code INVALID_OPTION in every package', () => {
  // Errors of decorators begin with the class or the route that cannot be registered.
  const ofCall =
    /^(?:\w+ of )?(?:new )?[\w.]+\(.*?\) (?:has no option '|must be .+: got |cannot use .+ as \S+\. )/;
  const wrong = results.filter(({ codes, message }) => codes !== undefined && ofCall.test(message));
  expect(wrong.length).toBeGreaterThan(100);
  expect(wrong.filter(({ codes }) => codes?.[0] !== 'INVALID_OPTION')).toEqual([]);
});
