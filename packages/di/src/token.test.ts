import { describe, expect, it } from 'vitest';
import { container, createContainer } from './container.js';
import { describePath, describeToken, isToken, token } from './token.js';

describe('describeToken', () => {
  it.each([
    ['a class', Map, 'Map'],
    ['a class without a name', (() => class {})(), '(anonymous class)'],
    ['a string', 'url', "'url'"],
    ['a symbol', Symbol('url'), 'Symbol(url)'],
    ['a typed token', token('Url'), 'token(Url)'],
  ])('names %s', (_kind, given, text) => {
    expect(describeToken(given)).toBe(text);
    expect(isToken(given)).toBe(true);
  });

  it('joins the names of a path', () => {
    expect(describePath([Map, 'url'])).toBe("Map → 'url'");
  });
});

describe('token', () => {
  it('makes a token that equals only itself, whatever its name', () => {
    const [first, second] = [token<number>('n'), token<number>('n')];
    const own = createContainer().register(first, { useValue: 1 });

    expect(own.has(first)).toBe(true);
    expect(own.has(second)).toBe(false);
  });

  it('is not what a number, an object or undefined can be', () => {
    expect([1, {}, null, undefined].filter(isToken)).toEqual([]);
  });
});

describe('container', () => {
  it('is one for all who import it, and shares nothing with others', () => {
    expect(container).not.toBe(createContainer());
    expect(container.has('nothing is registered in it')).toBe(false);
  });
});
