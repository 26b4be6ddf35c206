import { codePoint } from '@fairlead/test-support/properties';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeLocation } from '../response/headers.js';
import { authorityOf, parseTarget } from './target.js';

it.each([
  ['/users', '/users', ''],
  ['/users?page=2', '/users', 'page=2'],
  ['/?a?b', '/', 'a?b'],
  ['/%75sers?x=%zz', '/users', 'x=%zz'],
  ['http://example.com/users?page=2', '/users', 'page=2'],
  ['HTTPS://example.com', '/', ''],
  ['http://example.com?a=1', '/', 'a=1'],
  ['http://example.com/a/../b', '/a/../b', ''],
  ['//example.com/a', '//example.com/a', ''],
])('%s has the path %s and the query %j', (text, path, search) => {
  expect(parseTarget('GET', text)).toEqual({ path, search, malformed: false });
});

it.each([
  '',
  'users',
  '?a=1',
  '/a#b',
  '/%zz',
  'ftp://example.com/',
  'http://',
  'http:///a',
  'http://example.com#a/b',
  'http://example.com\\a/b',
  'http://example.com@evil.com/',
])("'%s' is malformed and keeps its text as the path", (text) => {
  expect(parseTarget('GET', text)).toEqual({ path: text, search: '', malformed: true });
});

it.each([
  ['http://example.com/a', 'example.com'],
  ['HTTPS://Example.com:8443', 'Example.com:8443'],
  ['http://[::1]:80?a=http://b/', '[::1]:80'],
  ['/', undefined],
  ['//example.com/a', undefined],
  ['/http://example.com/', undefined],
  ['*', undefined],
  ['ftp://example.com/', undefined],
  ['http://example.com:x/', undefined],
  ['http://example.com@evil.com/', undefined],
])('the target %s has the authority %s', (text, authority) => {
  expect(authorityOf(text)).toBe(authority);
});

it('a malformed path keeps its query', () => {
  expect(parseTarget('GET', '/%zz?a=1')).toEqual({ path: '/%zz', search: 'a=1', malformed: true });
});

it('* is valid only for OPTIONS', () => {
  expect(parseTarget('OPTIONS', '*')).toEqual({ path: '*', search: '', malformed: false });
  expect(parseTarget('GET', '*')).toEqual({ path: '*', search: '', malformed: true });
});

describe('encodeLocation', () => {
  it.each([
    ['/日本', '/%E6%97%A5%E6%9C%AC'],
    ['/a b"<>`{}', '/a%20b%22%3C%3E%60%7B%7D'],
    ['/%E6%97%A5?q=%20%2f', '/%E6%97%A5?q=%20%2f'],
    ['/100%', '/100%25'],
    ['/%zz%4', '/%25zz%254'],
    ['/é%C3%A9', '/%C3%A9%C3%A9'],
    [
      "https://[::1]:80/a?b=c&d=[e]#f|g~h^\\!$'()*+,;@:",
      "https://[::1]:80/a?b=c&d=[e]#f|g~h^\\!$'()*+,;@:",
    ],
    ['/😀', '/%F0%9F%98%80'],
    ['/\ud83d', '/%EF%BF%BD'],
    ['', ''],
  ])('encodes %j as %j', (url, location) => {
    expect(encodeLocation(url)).toBe(location);
  });

  it.each(['/\r\n', '/\0', '/\t', '/\x7f', '/\x85'])('rejects %j', (url) => {
    expect(() => encodeLocation(url)).toThrow(TypeError);
  });

  it('encodes nothing twice', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: codePoint }).filter((url) => !/\p{Cc}/u.test(url)),
        (url) => {
          const location = encodeLocation(url);
          expect(location).toMatch(/^[!-~]*$/);
          expect(encodeLocation(location)).toBe(location);
        },
      ),
    );
  });
});
