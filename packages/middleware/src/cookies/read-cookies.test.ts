import { describe, expect, it } from 'vitest';
import { readWith } from '../../test/support/run-handler.js';
import { readCookies } from './read-cookies.js';

const read = (cookie: string) => readWith(cookie, readCookies);

describe('readCookies', () => {
  it.each([
    ['a=1; b=2', { a: '1', b: '2' }],
    ['a=1;b=2', { a: '1', b: '2' }],
    ['  a = 1 ; b=2 ', { a: '1', b: '2' }],
    ['a=', { a: '' }],
    ['a=b=c', { a: 'b=c' }],
    ['a=1; a=2', { a: '1' }],
    ['a=%C3%A9%20%3B', { a: 'é ;' }],
    ['flag; a=1', { a: '1' }],
    [';;=;', { '': '' }],
    ['', {}],
  ])('reads %j', async (header, cookies) => {
    expect({ ...(await read(header)) }).toEqual(cookies);
  });

  it.each(['%', '%zz', '%C3', '%E0%A4%A', '100%'])(
    'returns the malformed value %s unchanged',
    async (value) => {
      expect(await read(`a=${value}`)).toHaveProperty('a', value);
    },
  );

  it('returns a frozen object without inherited members', async () => {
    const cookies = await read('__proto__=1; constructor=2');
    expect('toString' in cookies).toBe(false);
    expect(Object.keys(cookies)).toEqual(['__proto__', 'constructor']);
    expect(Object.isFrozen(cookies)).toBe(true);
  });

  it('parses the header once per request', async () => {
    const [first, second] = await readWith('a=1', (ctx) => [1, 2].map(() => readCookies(ctx)));
    expect(first).toEqual({ a: '1' });
    expect(second).toBe(first);
  });
});
