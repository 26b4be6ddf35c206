import { describe, expect, it } from 'vitest';
import { ResponseHeaders } from './headers.js';

it('names are case-insensitive, and sent as last written', () => {
  const headers = new ResponseHeaders();
  headers.set('x-one', 1);
  headers.set('X-One', 'a');
  expect(headers.get('X-ONE')).toBe('a');
  expect(headers.has('x-oNe')).toBe(true);
  expect([...headers].flat()).toEqual(['X-One', 'a']);
});

it('append adds a value to existing ones', () => {
  const headers = new ResponseHeaders();
  headers.append('Link', '</a>');
  expect(headers.get('link')).toBe('</a>');
  headers.append('link', ['</b>', '</c>']);
  expect(headers.get('link')).toEqual(['</a>', '</b>', '</c>']);
});

it('append converts a number to a string', () => {
  const headers = new ResponseHeaders();
  headers.set('X-Numbers', 1);
  headers.append('X-Numbers', '2');
  expect(headers.get('X-Numbers')).toEqual(['1', '2']);
});

it('delete returns whether the header was set', () => {
  const headers = new ResponseHeaders();
  headers.set('X-One', '1');
  expect([headers.delete('x-one'), headers.delete('x-one')]).toEqual([true, false]);
  expect([...headers].flat()).toEqual([]);
});

it('iterates over names and values', () => {
  const headers = new ResponseHeaders();
  headers.set('x-one', 1);
  headers.set('X-List', ['a', 'b']);
  headers.set('X-One', 2);
  expect([...headers]).toEqual([
    ['X-One', 2],
    ['X-List', ['a', 'b']],
  ]);
});

it('later changes to a passed list have no effect', () => {
  const headers = new ResponseHeaders();
  const values = ['a'];
  headers.set('X-List', values);
  values.push('b\r\n');
  expect(headers.get('X-List')).toEqual(['a']);
});

describe('header injection', () => {
  it.each(['a\r\nSet-Cookie: b=1', 'a\nb', 'a\rb', 'a\0b', 'a\u0100'])(
    'the value %j is refused',
    (value) => {
      const headers = new ResponseHeaders();
      expect(() => headers.set('X-One', value)).toThrow(TypeError);
      expect(() => headers.set('X-One', ['fine', value])).toThrow(TypeError);
      expect(() => headers.append('X-One', value)).toThrow(TypeError);
      expect([...headers].flat()).toEqual([]);
    },
  );

  it.each(['', 'a b', 'a:', 'a\r\n', 'é'])('the name %j is rejected', (name) => {
    expect(() => new ResponseHeaders().set(name, 'value')).toThrow(TypeError);
  });
});

describe('a value of another type', () => {
  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [{ a: 1 }, 'an object'],
    [new Date(0), 'an instance of Date'],
  ])('%j is refused by set() and append()', (value, described) => {
    const headers = new ResponseHeaders();
    headers.set('X-Id', 'a');
    const error = new TypeError(
      `Cannot set the header 'X-Id' to ${described}. Pass a string, a number or an array of strings, or omit it.`,
    );
    expect(() => Reflect.apply(headers.set, headers, ['X-Id', value])).toThrow(error);
    expect(() => Reflect.apply(headers.append, headers, ['X-Id', value])).toThrow(error);
    expect(headers.get('X-Id')).toBe('a');
  });
});
