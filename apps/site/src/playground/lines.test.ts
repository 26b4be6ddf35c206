import { expect, it } from 'vitest';
import { kindOf } from './lines.ts';

it.each([
  ['The application failed to start: 7 problems.', 'heading'],
  ["  1. controllersPlugin() has no option 'prefx'.", 'problem'],
  ['       At: app.js:49:5', 'detail'],
  ['       Path: notes → Notes → Clock', 'detail'],
  ['       Fix: change one of the two paths.', 'fix'],
  ['[controllers] the routes of the controllers are unreachable', 'warning'],
  ['[FAIRLEAD_ORDER] FairleadWarning: errorHandler() is registered after json()', 'warning'],
  ['The application listens on http://localhost:8080', undefined],
  ['3 notes', undefined],
])('knows what a line of a report is about: %s', (line, kind) => {
  expect(kindOf(line)).toBe(kind);
});
