import { isJson } from '@fairlead/options';
import { expect, it } from 'vitest';
import { parseMediaType } from './media-type.js';

it.each([
  ['application/json', 'application/json', undefined],
  ['Application/JSON;charset=UTF-8', 'application/json', 'utf-8'],
  ['application/json ; charset="utf-8"', 'application/json', 'utf-8'],
  ['text/plain; format=flowed; Charset = latin1 ', 'text/plain', 'latin1'],
  ['text/plain; xcharset=a', 'text/plain', undefined],
  ['', '', undefined],
])("'%s' has the essence %s and the charset %s", (header, essence, charset) => {
  expect(parseMediaType(header)).toEqual({ essence, charset });
});

it.each([
  'application/json',
  'text/json',
  'application/problem+json',
  'text/vnd.a.b+c+json',
  'image/x-y+json',
])('%s is JSON', (essence) => {
  expect(isJson(essence)).toBe(true);
});

it.each(['', 'json', 'application/jsonp', 'application/json5', 'a/+json', 'a/b+jsonx'])(
  "'%s' is not JSON",
  (essence) => {
    expect(isJson(essence)).toBe(false);
  },
);
