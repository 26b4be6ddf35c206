import { expect, it } from 'vitest';
import { parseTarget } from './target.js';

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

it.each(['', 'users', '?a=1', '/a#b', '/%zz', 'ftp://example.com/', 'http://', 'http:///a'])(
  "'%s' is malformed and keeps its text as the path",
  (text) => {
    expect(parseTarget('GET', text)).toEqual({ path: text, search: '', malformed: true });
  },
);

it('a malformed path keeps its query', () => {
  expect(parseTarget('GET', '/%zz?a=1')).toEqual({ path: '/%zz', search: 'a=1', malformed: true });
});

it('* is valid only for OPTIONS', () => {
  expect(parseTarget('OPTIONS', '*')).toEqual({ path: '*', search: '', malformed: false });
  expect(parseTarget('GET', '*')).toEqual({ path: '*', search: '', malformed: true });
});
