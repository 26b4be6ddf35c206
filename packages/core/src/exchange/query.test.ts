import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Exchange, firstValues, queryEntries } from './exchange.js';

const read = (search: string) => firstValues(new URLSearchParams(search));

it.each([
  ['a=1&b=2', { a: '1', b: '2' }],
  ['a=1&a=2', { a: '1' }],
  ['a=&a=2', { a: '' }],
  ['a', { a: '' }],
  ['q=a+b%20c%26', { q: 'a b c&' }],
  ['a[]=1', { 'a[]': '1' }],
  ['', {}],
])("'%s' has the values %j", (search, values) => {
  expect({ ...read(search) }).toEqual(values);
});

it('has no prototype, so every name is an ordinary one', () => {
  const query = read('__proto__=a&constructor=b');
  expect(Object.getPrototypeOf(query)).toBeNull();
  expect(Object.entries(query)).toEqual([
    ['__proto__', 'a'],
    ['constructor', 'b'],
  ]);
});

it('has the names and values of URLSearchParams, also for a query without encoded text', () => {
  const part = fc.constantFrom(
    '&',
    '=',
    '?',
    '#',
    'a',
    'b',
    'é',
    '[',
    ']',
    ';',
    ' ',
    '+',
    '%20',
    '%',
  );
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const target = { path: '/', search: parts.join(''), malformed: false };
      const entries = queryEntries({ target } as Exchange);
      expect([...entries]).toEqual([...new URLSearchParams(`?${target.search}`)]);
    }),
  );
});

it('has what middleware added to ctx.searchParams before', () => {
  const target = { path: '/', search: 'a=1', malformed: false };
  const searchParams = new URLSearchParams('a=1&b=2');
  const entries = queryEntries({ target, searchParams } as Exchange);
  expect({ ...firstValues(entries) }).toEqual({ a: '1', b: '2' });
});
