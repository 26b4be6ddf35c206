import { expect, it } from 'vitest';
import { json, raw, text, urlencoded } from '../src/index.js';

it.each([
  ['json', json()],
  ['text', text()],
  ['raw', raw()],
  ['urlencoded', urlencoded()],
])('the parser %s is named', (name, parser) => {
  expect(parser.name).toBe(name);
});
