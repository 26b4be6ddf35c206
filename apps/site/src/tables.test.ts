import { expect, it } from 'vitest';
import { keepNumbersWhole, releaseEmptyHeads } from './tables.ts';

/** Returns the tokens of a cell, as markdown-it creates them. */
const cell = (tag: 'td' | 'th', content: string, attributes: string[][] = []) => {
  const attrSet = (...attribute: string[]) => void attributes.push(attribute);
  return [
    { type: `${tag}_open`, tag, content: '', attrSet },
    { type: 'inline', tag: '', content, attrSet },
    { type: `${tag}_close`, tag, content: '', attrSet },
  ];
};

it('makes plain cells of empty head cells', () => {
  const tokens = [...cell('th', ''), ...cell('th', 'Name'), ...cell('td', '')];
  releaseEmptyHeads(tokens);
  expect(tokens.map(({ tag }) => tag)).toEqual(['td', '', 'td', 'th', '', 'th', 'td', '', 'td']);
});

it.each([
  ['88.1 %', [['class', 'number']]],
  ['[`9a2a426`](https://example.com/tree/9a2a426), 2025-05-25', [['class', 'number']]],
  ['yes', []],
  ['at most 100 characters, which are bytes in UTF-8', []],
])('keeps a short cell with a number on one line: %s', (content, expected) => {
  const attributes: string[][] = [];
  keepNumbersWhole([...cell('th', '95 %', attributes), ...cell('td', content, attributes)]);
  expect(attributes).toEqual(expected);
});
