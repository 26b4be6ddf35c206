import { expect, it } from 'vitest';
import { firstValues } from './exchange.js';

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
