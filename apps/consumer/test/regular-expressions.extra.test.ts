import { expect, it } from 'vitest';
import {
  BOUNDED,
  findExpressions,
  findSlowness,
  PROVEN,
  selectLinear,
} from './support/regular-expressions.js';

const expressions = findExpressions();

it('the listed expressions take linear time: add those of the packages with --update', {
  timeout: 600_000,
}, async () => {
  const proven: string[] = [];
  for (const [code, { pattern }] of selectLinear(expressions)) {
    if ((await findSlowness(pattern)) === undefined) proven.push(code);
  }
  await expect(`${proven.sort().join('\n')}\n`).toMatchFileSnapshot(PROVEN);
});

it('each regular expression that is listed with what bounds its text may take more than linear time', {
  timeout: 600_000,
}, async () => {
  const patterns = new Map(expressions.map(({ code, pattern }) => [code, pattern]));
  const needless: string[] = [];
  for (const code of Object.keys(BOUNDED)) {
    const pattern = patterns.get(code);
    if (pattern === undefined || !(await findSlowness(pattern))) needless.push(code);
  }
  expect(needless, 'Remove these entries.').toEqual([]);
});
