import { describe, expect, it } from 'vitest';
import { ListQuery, NewUser, UserChanges } from './schemas.js';

describe('NewUser', () => {
  it('has name and email, and ignores other fields', () => {
    const body = { id: 'mine', name: 'Ada', email: 'a@b', createdAt: 'then', role: 'admin' };
    expect(NewUser.parse(body)).toStrictEqual({ name: 'Ada', email: 'a@b' });
  });

  it.each([undefined, null, [], 'text', 7])('rejects %j as a body without fields', (body) => {
    const missing = 'must be a non-empty string';
    expect(NewUser.safeParse(body).error?.issues).toMatchObject([
      { path: ['name'], message: missing },
      { path: ['email'], message: missing },
    ]);
  });
});

describe('UserChanges', () => {
  it.each([{}, { name: 'Ada' }, { email: '' }])('accepts %j unchanged', (body) => {
    expect(UserChanges.parse(body)).toStrictEqual(body);
  });

  it.each([undefined, null, [], 'text', 7])('rejects %j, which is not an object', (body) => {
    expect(UserChanges.safeParse(body).error?.issues).toMatchObject([
      { path: [], message: 'must be an object' },
    ]);
  });
});

describe.each([
  ['NewUser', NewUser],
  ['UserChanges', UserChanges],
])('the fields of %s', (_, schema) => {
  it('replace lone surrogates and U+0000, which not every store supports', () => {
    expect(schema.parse({ name: 'a\ud800', email: '\0b' })).toEqual({
      name: 'a\ufffd',
      email: '\ufffdb',
    });
  });

  it('have limits in UTF-16 code units', () => {
    const longest = { name: '😀'.repeat(128), email: 'e'.repeat(320) };
    expect(schema.parse(longest)).toEqual(longest);
    const longer = { name: '😀'.repeat(129), email: 'e'.repeat(321) };
    expect(schema.safeParse(longer).error?.issues).toMatchObject([
      { path: ['name'], message: 'must be at most 256 characters long, not 258' },
      { path: ['email'], message: 'must be at most 320 characters long, not 321' },
    ]);
  });
});

describe('ListQuery', () => {
  it.each([
    [{}, {}],
    [{ sort: 'name' }, {}],
    [{ page: '2' }, { page: 2 }],
    [{ limit: '3' }, { limit: 3 }],
  ])('leaves absent parameters of %o undefined', (query, expected) => {
    expect(ListQuery.parse(query)).toEqual(expected);
  });

  it.each([
    ['7', 7],
    ['2.9', 2],
    ['1e2', 100],
    ['0x10', 16],
    [' 4 ', 4],
    ['1e300', 1e300],
  ])('converts %j to %d', (text, value) => {
    expect(ListQuery.parse({ page: text, limit: text })).toEqual({ page: value, limit: value });
  });

  it.each(['abc', '0', '-1', '0.9', '', '1,5', 'NaN', 'Infinity', '-Infinity', '1e999'])(
    'falls back to 1 and 10 for %j',
    (text) => {
      expect(ListQuery.parse({ page: text, limit: text })).toEqual({ page: 1, limit: 10 });
    },
  );
});
