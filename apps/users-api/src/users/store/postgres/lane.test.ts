import { expect, it } from 'vitest';
import { Lane, type SharedLanes } from './lane.js';

const share = (free: number): SharedLanes => ({ free, lanes: [] });

it('lets as many statements in as its size, and then each in the order of their calls', async () => {
  const lane = new Lane(2, share(9));
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
  const lane = new Lane(1, share(9));
  await lane.enter(60_000);
  await expect(lane.enter(1)).rejects.toThrow('timeout exceeded when trying to connect');
  expect(lane.waiting).toBe(0);
  lane.leave();
  await lane.enter(60_000);
});

it('shares what is free between two kinds, and lets the first kind go first', async () => {
  const shared = share(3);
  const [first, second] = [new Lane(1, shared), new Lane(3, shared)];
  const entered: string[] = [];
  const enter = (lane: Lane, name: string) =>
    lane.enter(60_000).then(() => void entered.push(name));
  const before = [enter(second, 'a'), enter(second, 'b'), enter(second, 'c')];
  const after = [enter(second, 'd'), enter(first, 'e'), enter(first, 'f')];
  await Promise.all(before);
  expect([first.waiting, second.waiting]).toEqual([2, 1]);
  second.leave();
  await after[1];
  // The first lane is full.
  second.leave();
  await after[0];
  first.leave();
  await after[2];
  expect(entered).toEqual(['a', 'b', 'c', 'e', 'd', 'f']);
  expect([first.waiting, second.waiting, shared.free]).toEqual([0, 0, 0]);
});
