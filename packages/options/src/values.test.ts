import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { isPlainObject } from './values.js';

it('tells object literals of any realm from instances', () => {
  const foreign: unknown = runInNewContext('({})');
  const plain = [{}, Object.create(null), foreign];

  expect(plain.filter(isPlainObject)).toHaveLength(3);
  expect([[], new Map(), null, () => 1, 'a'].filter(isPlainObject)).toEqual([]);
});
