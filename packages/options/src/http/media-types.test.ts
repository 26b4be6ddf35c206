import { expect, it } from 'vitest';
import { essenceOf, includesType, isJson, isMediaRange, rangesOf } from './media-types.js';

it.each([
  ['application/json', true],
  ['Application/JSON; charset=utf-8', true],
  ['application/problem+json ;a=b', true],
  ['model/gltf+json', true],
  ['application/json-seq', false],
  ['application/jsonp', false],
  ['text/json', true],
  ['', false],
])('%s is JSON: %s', (header, expected) => {
  expect(isJson(essenceOf(header))).toBe(expected);
});

it('lists a media type and the ranges that include it', () => {
  expect(rangesOf('text/csv')).toEqual(['text/csv', 'text/*', '*/*']);
  expect(rangesOf('application/hal+json')).toEqual([
    ...['application/hal+json', 'application/*+json', 'application/*', '*/*'],
  ]);
});

it.each([
  ['image/*', 'image/png', true],
  ['Image/PNG', 'image/png', true],
  ['application/*+json', 'application/vnd.acme.v1+json', true],
  ['application/*+json', 'application/json', false],
  ['application/*', 'application/*+json', true],
  ['application/*+json', 'application/*', false],
  ['text/*', 'texts/csv', false],
  ['*/*', '', true],
  ['text/*', 'text', false],
  ['text/*', 'text/', false],
  ['text/*', 'text/a/b', false],
])('%s includes %s: %s', (range, essence, expected) => {
  expect(includesType(range, essence)).toBe(expected);
});

it.each(['*/*', 'text/*', 'application/*+json', 'application/vnd.a+json', 'image/svg+xml'])(
  '%s is a media type or a range',
  (text) => expect(isMediaRange(text)).toBe(true),
);

it.each([
  'json',
  '*',
  '*/png',
  'text/',
  'text/*x',
  'a*/b',
  'a/*+ld+json',
  'text/csv; charset=utf-8',
  'text/a/b',
  '',
])('%j is none', (text) => expect(isMediaRange(text)).toBe(false));
