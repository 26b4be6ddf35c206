import { pointerKeys } from '@fairlead/options';
import { expect, it } from 'vitest';
import { referenceTo } from './reference.js';

it.each([
  [['components', 'schemas', 'User'], '#/components/schemas/User'],
  [['a/b', '~', '%20'], '#/a~1b/~0/%2520'],
  [[], '#'],
])('the keys %j have the reference %s', (keys, reference) => {
  expect(referenceTo(keys)).toBe(reference);
  expect(pointerKeys(reference)).toEqual(keys);
});
