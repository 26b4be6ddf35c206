import { expect, it } from 'vitest';
import { BOUNDED, findExpressions, findSlowness } from './support/regular-expressions.js';

it('each regular expression that is listed with what bounds its text may take more than linear time', {
  timeout: 600_000,
}, async () => {
  const patterns = new Map(findExpressions().map(({ code, pattern }) => [code, pattern]));
  const needless: string[] = [];
  for (const code of Object.keys(BOUNDED)) {
    const pattern = patterns.get(code);
    if (pattern === undefined || !(await findSlowness(pattern))) needless.push(code);
  }
  expect(needless, 'Remove these entries.').toEqual([]);
});
