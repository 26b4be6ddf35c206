import { expect, it } from 'vitest';
import { releaseEmptyHeads } from './tables.ts';

/** Returns the tokens of a cell, as markdown-it creates them. */
const cell = (tag: 'td' | 'th', content: string) => [
  { type: `${tag}_open`, tag, content: '' },
  { type: 'inline', tag: '', content },
  { type: `${tag}_close`, tag, content: '' },
];

it('makes plain cells of empty head cells', () => {
  const tokens = [...cell('th', ''), ...cell('th', 'Name'), ...cell('td', '')];
  releaseEmptyHeads(tokens);
  expect(tokens.map(({ tag }) => tag)).toEqual(['td', '', 'td', 'th', '', 'th', 'td', '', 'td']);
});
