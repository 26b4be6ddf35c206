import { beforeAll, expect, it } from 'vitest';
import type { LegalReport } from '../src/observe.js';
import { runInProcess } from './support/run-in-process.js';

let reports: readonly LegalReport[];

beforeAll(async () => {
  reports = await runInProcess<LegalReport>('src/legal-main.ts');
});

it('runs at least a hundred unusual programs, each once', () => {
  const titles = reports.map(({ title }) => title);

  expect(titles.length).toBeGreaterThanOrEqual(100);
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
});

it('starts every legal program, which prints nothing but the warning that it can silence', () => {
  expect(reports.filter(({ problems }) => problems.length > 0)).toEqual([]);
});
