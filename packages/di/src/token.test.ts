import { describe, expect, it } from 'vitest';
import { container, createContainer } from './container.js';
import { token } from './dependency.js';
import { describePath, describeToken, isToken } from './token.js';

describe('describeToken', () => {
  it.each([
    ['a class', Map, 'Map'],
    ['a class without a name', (() => class {})(), '(anonymous class)'],
    ['a string', 'url', "'url'"],
    ['a symbol', Symbol('url'), 'Symbol(url)'],
    ['a typed token', token('Url'), 'token(Url)'],
  ])('formats %s', (_kind, value, text) => {
    expect(describeToken(value)).toBe(text);
    expect(isToken(value)).toBe(true);
  });

  it('joins the tokens of a path', () => {
    expect(describePath([Map, 'url'])).toBe("Map → 'url'");
  });
});

describe('token', () => {
  it('creates a token that equals only itself, even with the same name', () => {
    const [first, second] = [token<number>('n'), token<number>('n')];
    const own = createContainer().register(first, { useValue: 1 });

    expect(own.has(first)).toBe(true);
    expect(own.has(second)).toBe(false);
  });

  it('cannot be a number, an object, null or undefined', () => {
    expect([1, {}, null, undefined].filter(isToken)).toEqual([]);
  });
});

describe('container', () => {
  it('shares nothing with other containers', () => {
    expect(container).not.toBe(createContainer());
    expect(container.has('nothing is registered in it')).toBe(false);
  });
});
