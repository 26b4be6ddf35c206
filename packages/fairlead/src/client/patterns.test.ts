import { expect, it } from 'vitest';
import { pathParameter, patternName, patternOf } from './patterns.js';

const parameter = (name: string) => ({ name, in: 'path' });
const wildcard = (name: string) => ({ ...parameter(name), 'x-wildcard': true });

it.each([
  ['/users/{id}', [parameter('id')], '/users/:id'],
  ['/{from}-{to}.png', [parameter('from'), parameter('to')], '/:from-:to.png'],
  ['/files/{path}', [wildcard('path')], '/files/*path'],
  ['/files/{wildcard}', [wildcard('wildcard')], '/files/*'],
  ['/items:search', [], '/items%3Asearch'],
  ['/a/*', [], '/a/%2A'],
  ['/users/{id}', [], '/users/:id'],
])('the path %s with %j has the pattern %s', (path, parameters, pattern) => {
  expect(patternOf(path, parameters)).toBe(pattern);
});

it.each(['/users/{user-id}', '/v1/{name}:cancel', '/{a}b', '/{}'])(
  'the path %s, which no pattern can express, keeps its braces',
  (path) => {
    expect(patternOf(path, [])).toBe(path);
  },
);

it('a wildcard without a name is a star in the client', () => {
  expect(patternName('wildcard', wildcard('wildcard'))).toBe('*');
  expect(patternName('wildcard', parameter('wildcard'))).toBe('wildcard');
  expect(patternName('path', wildcard('path'))).toBe('path');
});

it('a parameter of another place is none of the path', () => {
  const query = { name: 'id', in: 'query' };
  expect(pathParameter('id', [query])).toEqual({});
  expect(pathParameter('id', [query, parameter('id')])).toEqual(parameter('id'));
});
