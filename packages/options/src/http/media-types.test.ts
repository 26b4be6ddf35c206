import { expect, it } from 'vitest';
import { essenceOf, isJson } from './media-types.js';

it.each([
  ['application/json', true],
  ['Application/JSON; charset=utf-8', true],
  ['application/problem+json ;a=b', true],
  ['model/gltf+json', true],
  ['application/json-seq', false],
  ['application/jsonp', false],
  ['text/json', false],
  ['', false],
])('%s is JSON: %s', (header, expected) => {
  expect(isJson(essenceOf(header))).toBe(expected);
});
