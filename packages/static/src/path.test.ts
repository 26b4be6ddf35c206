import { expect, it } from 'vitest';
import { splitPath } from './path.js';

it.each([
  ['a.txt', ['a.txt']],
  ['docs/a b/.env', ['docs', 'a b', '.env']],
  ['...', ['...']],
  ['con', ['con']],
  ['a:b', ['a:b']],
])('splits %s', (path, names) => {
  expect(splitPath(path, 'linux')).toEqual(names);
});

it.each(['', '/', '/a', 'a/', 'a//b', '.', '..', 'a/../b', './a', 'a\\b', '..\\a'])(
  'refuses %j on every platform',
  (path) => {
    expect(splitPath(path, 'linux')).toBeUndefined();
    expect(splitPath(path, 'win32')).toBeUndefined();
  },
);

it.each([
  ...['con', 'CON', 'nul.txt', 'Aux.tar.gz', 'com1', 'COM¹', 'lpt9.log', 'prn .txt', 'conin$'],
  ...['a.txt::$DATA', 'C:', 'C:a', 'a.txt.', 'a.txt ', 'a?', 'a*', 'a|b', 'docs/nul'],
])('refuses %j on Windows', (path) => {
  expect(splitPath(path, 'win32')).toBeUndefined();
  expect(splitPath(path, 'linux')).toBeDefined();
});

it.each(['console', 'com', 'com10', 'null', 'auxiliary.js', 'docs/a.txt', '.env', 'a b'])(
  'accepts %j on Windows',
  (path) => {
    expect(splitPath(path, 'win32')).toEqual(path.split('/'));
  },
);

it('throws a 400 for NUL', () => {
  expect(() => splitPath('a\0')).toThrow(expect.objectContaining({ status: 400 }));
});
