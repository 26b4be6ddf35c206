import { expect, it } from 'vitest';
import { broken, group, HARD, indent, join, LINE, SOFT, writeLayout } from './layout.js';

const list = (...items: string[]) =>
  group(['[', indent([SOFT, join([',', LINE], items)]), broken(','), SOFT, ']']);

it('a group that fits is on one line', () => {
  expect(writeLayout(list('a', 'b'), 6)).toBe('[a, b]');
});

it('a group that is too long has each of its lines, and what it has only then', () => {
  expect(writeLayout(list('a', 'b'), 5)).toBe('[\n  a,\n  b,\n]');
});

it('what follows a group on its line counts', () => {
  expect(writeLayout([list('a', 'b'), ';'], 6)).toBe('[\n  a,\n  b,\n];');
  expect(writeLayout([list('a', 'b'), HARD, 'and more'], 6)).toBe('[a, b]\nand more');
});

it('a group inside one that is too long can still be on one line', () => {
  const inner = list('a', 'b');
  expect(writeLayout(group(['(', indent([SOFT, inner, ',', LINE, inner]), SOFT, ')']), 10)).toBe(
    '(\n  [a, b],\n  [a, b]\n)',
  );
});

it('a hard line breaks the groups around it', () => {
  expect(writeLayout(group(['a', LINE, group(['b', HARD, 'c'])]), 80)).toBe('a\nb\nc');
});

it('no line ends with spaces', () => {
  expect(writeLayout(['a ', HARD, indent([HARD, 'b'])], 80)).toBe('a\n\n  b');
});
