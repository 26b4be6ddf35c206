import { METHODS } from 'node:http';
import { describe, expect, it } from 'vitest';
import { answersMethod, formatAllow, parseMethod, selectByMethod } from './method.js';

describe('parseMethod', () => {
  it.each([...METHODS.filter((name) => name !== 'CONNECT'), 'ALL'])(
    'reads %s in any case',
    (method) => {
      expect(parseMethod(method.toLowerCase())).toBe(method);
    },
  );

  it.each(['FETCH', 'CONNECT'])('refuses %s, which no listener is given', (method) => {
    expect(() => parseMethod(method)).toThrow(
      `'${method}' is not a method that a route can answer. Use one of http.METHODS but CONNECT, or 'ALL'.`,
    );
  });
});

describe('selectByMethod', () => {
  it.each([
    ['GET', 'get'],
    ['HEAD', 'get'],
    ['PUT', 'all'],
  ])('chooses for %s: %s', (method, chosen) => {
    const routes = new Map([
      ['ALL', 'all'],
      ['GET', 'get'],
    ]);
    expect(selectByMethod(routes, method)).toBe(chosen);
  });

  it('chooses nothing for a method without a route', () => {
    expect(selectByMethod(new Map([['GET', 'get']]), 'POST')).toBeUndefined();
  });
});

describe('formatAllow', () => {
  it.each([
    [['POST'], 'OPTIONS, POST'],
    [['PUT', 'GET', 'DELETE'], 'DELETE, GET, HEAD, OPTIONS, PUT'],
    [[], 'OPTIONS'],
    [['ALL'], 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT'],
    [['ALL', 'REPORT'], 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT, REPORT'],
  ])('of %j is %s', (methods, value) => {
    expect(formatAllow(new Set(methods))).toBe(value);
  });
});

describe('answersMethod', () => {
  it.each([
    [['GET'], 'GET', true],
    [['GET'], 'HEAD', true],
    [['HEAD'], 'GET', false],
    [['ALL'], 'REPORT', true],
    [['PUT'], 'POST', false],
    [[], 'GET', false],
  ])('of %j for %s is %s', (methods, method, answer) => {
    expect(answersMethod(new Set(methods), method)).toBe(answer);
  });
});
