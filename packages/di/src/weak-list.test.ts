import { setImmediate as turn } from 'node:timers/promises';
import { collectGarbage } from '@fairlead/test-support/collect-garbage';
import { expect, it } from 'vitest';
import { WeakList } from './weak-list.js';

it('lists values in the order of their addition', () => {
  const values = Array.from({ length: 200 }, (_, index) => ({ index }));
  const list = new WeakList<object>();
  for (const value of values) list.add(value);

  expect(list.list()).toEqual(values);
});

it('does not retain values', async () => {
  const list = new WeakList<object>();
  for (let index = 0; index < 200; index += 1) list.add({ index });
  // A value stays alive until the end of the turn in which its reference was created.
  await turn();
  collectGarbage();

  expect(list.list()).toEqual([]);
});
