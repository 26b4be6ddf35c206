import { expect, it } from 'vitest';
import { pointerOf, referenceTo } from './reference.js';

it.each([
  [['components', 'schemas', 'User'], '#/components/schemas/User'],
  [['a/b', '~', '%20'], '#/a~1b/~0/%2520'],
  [[], '#'],
])('the keys %j have the reference %s', (keys, reference) => {
  expect(referenceTo(keys)).toBe(reference);
  expect(pointerOf(reference)).toEqual(keys);
});

it('a key with a percent sign that encodes nothing stays as it is', () => {
  expect(pointerOf('#/100%/a%2Fb')).toEqual(['100%', 'a/b']);
});
