import { expect, it } from 'vitest';
import { isToken } from './names.js';

it('knows the characters of tokens', () => {
  const characters = Array.from({ length: 0x180 }, (_, code) => String.fromCharCode(code));
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
  // RFC 9110 §5.6.2, in the order of ASCII
  const tchar = `!#$%&'*+-.0123456789${letters}^_\`${letters.toLowerCase()}|~`;
  expect(characters.filter(isToken).join('')).toBe(tchar);
  expect(isToken(tchar)).toBe(true);
});

it.each(['', ' ', 'a b', 'a\n', '\na', 'a:', undefined, null, 7, ['a'], { toString: () => 'a' }])(
  'says that %j is none',
  (value) => {
    expect(isToken(value)).toBe(false);
  },
);
