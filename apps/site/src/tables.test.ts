import { describe, expect, it } from 'vitest';
import { keepShortCellsWhole, releaseEmptyHeads, stackLongRows } from './tables.ts';

/** Returns the tokens of a cell, as markdown-it creates them. */
const cell = (tag: 'td' | 'th', content: string, attributes: string[][] = []) => {
  const attrSet = (...attribute: string[]) => void attributes.push(attribute);
  return [
    { type: `${tag}_open`, tag, content: '', attrSet },
    { type: 'inline', tag: '', content, attrSet },
    { type: `${tag}_close`, tag, content: '', attrSet },
  ];
};

const token = (type: string) => ({ type, tag: '', content: '', attrSet() {} });

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
  keepShortCellsWhole([...cell('th', '95 %', attributes), ...cell('td', content, attributes)]);
  expect(attributes).toEqual(expected);
});

it.each([
  ['`rest-api`', [['class', 'word']]],
  ['`@Controller({ prefix })`', []],
  ['`createCustomParamDecorator()`', []],
])('keeps a short word in the first column on one line: %s', (content, expected) => {
  const attributes: string[][] = [];
  keepShortCellsWhole([
    token('tr_open'),
    ...cell('td', content, attributes),
    ...cell('td', content, attributes),
  ]);
  expect(attributes).toEqual(expected);
});

describe('the cells of a table', () => {
  /** Returns the attributes of the cells of a table with two rows. */
  const attributesOf = (heads: readonly string[], cells: readonly string[]) => {
    const attributes: string[][] = [];
    const row = (tag: 'td' | 'th', texts: readonly string[]) => [
      token('tr_open'),
      ...texts.flatMap((text) => cell(tag, text, attributes)),
      token('tr_close'),
    ];
    const rows = [...row('th', heads), ...row('td', cells), ...row('td', cells)];
    stackLongRows([token('table_open'), ...rows, token('table_close')]);
    return attributes;
  };
  const long = `\`${'message '.repeat(20)}\``;

  it('have the names of their columns when a phone cannot show the columns', () => {
    const labels = ['Mistake', 'At run time', 'Message'].map((name) => ['data-label', name]);
    const attributes = attributesOf(
      ['Mistake', '', '`At` run time', '[Message](errors.md)'],
      ['typo', 'yes', 'start', long],
    );
    expect(attributes).toEqual([...labels, ...labels]);
  });

  it.each([
    ['three columns', ['Option', 'Default', 'Description'], ['port', '80', long]],
    ['short rows', ['Server', 'json', 'post', 'page'], ['Fairlead', '1.00', '0.97', '0.98']],
  ])('have no names when a phone shows the columns: %s', (_, heads, cells) => {
    expect(attributesOf(heads, cells)).toEqual([]);
  });
});
