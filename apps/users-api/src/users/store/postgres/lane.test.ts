import { expect, it } from 'vitest';
import { Lane } from './lane.js';

it('lets as many statements in as its size, and then each in the order of their calls', async () => {
  const lane = new Lane(2);
  const entered: number[] = [];
  const enter = (number: number) => lane.enter(60_000).then(() => entered.push(number));
  await Promise.all([enter(1), enter(2)]);
  const others = [enter(3), enter(4)];
  expect(lane.waiting).toBe(2);
  lane.leave();
  await others[0];
  expect(entered).toEqual([1, 2, 3]);
  lane.leave();
  await others[1];
  expect(entered).toEqual([1, 2, 3, 4]);
  expect(lane.waiting).toBe(0);
});

it('rejects a statement that waits for too long, which takes no turn', async () => {
  const lane = new Lane(1);
  await lane.enter(60_000);
  await expect(lane.enter(1)).rejects.toThrow('timeout exceeded when trying to connect');
  expect(lane.waiting).toBe(0);
  lane.leave();
  await lane.enter(60_000);
});
