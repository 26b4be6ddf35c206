import { codePoint } from '@fairlead/test-support/properties';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { escapeControls, escapeLine } from './terminal-text.js';

it.each([
  ['\u001b[31mred\u001b[0m', '\\u001b[31mred\\u001b[0m'],
  ['\u001b]0;title\u0007', '\\u001b]0;title\\u0007'],
  ['\u009b2J\u009d0;title\u009c', '\\u009b2J\\u009d0;title\\u009c'],
  ['\0\b\v\f\u007f', '\\u0000\\u0008\\u000b\\u000c\\u007f'],
  ['ok\rfailed', 'ok\\u000dfailed'],
  ['\u202etxt.exe\u2066\u200f\u061c', '\\u202etxt.exe\\u2066\\u200f\\u061c'],
  ['\u2028\u2029\u0085', '\\u2028\\u2029\\u0085'],
])('characters that control a terminal become escapes: %j', (text, escaped) => {
  expect(escapeControls(text)).toBe(escaped);
  expect(escapeLine(text)).toBe(escaped);
});

it('line breaks and tabs stay, unless the text is within a line', () => {
  expect(escapeControls('a\r\nb\n\tc')).toBe('a\r\nb\n\tc');
  expect(escapeLine('a\r\nb\n\tc')).toBe('a\\u000d\\u000ab\\u000a\\u0009c');
});

it('other text stays', () => {
  for (const text of ['größe 日本語', '👩‍👩‍👧', 'עברית', 'a\\u001b', '\u00a0']) {
    expect(escapeControls(text)).toBe(text);
  }
});

it('no control character is left, and JSON keeps its value', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), (text) => {
      expect(/[\p{Cc}\p{Bidi_Control}]/u.test(escapeLine(text))).toBe(false);
      expect(JSON.parse(escapeControls(JSON.stringify(text)))).toBe(text);
    }),
  );
});
