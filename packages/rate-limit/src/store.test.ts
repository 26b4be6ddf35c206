import { createHash } from 'node:crypto';
import { collectGarbage } from '@fairlead/test-support/collect-garbage';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MemoryStore } from './store.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

it('counts until the window ends, and then starts another', async () => {
  const store = new MemoryStore();
  expect(await store.add('a', 2, 10)).toEqual({ points: 2, msBeforeNext: 10_000 });
  vi.setSystemTime(9_999);
  expect(await store.add('a', -1, 10)).toEqual({ points: 1, msBeforeNext: 1 });
  vi.setSystemTime(10_000);
  expect(await store.add('a', -1, 10)).toEqual({ points: 0, msBeforeNext: 0 });
  expect(await store.add('a', 1, 10)).toEqual({ points: 1, msBeforeNext: 10_000 });
});

it.each([
  ['of other clients', 'next', [10, 10, 5, 0]],
  // The first request also replaces the window of its client.
  ['of a client that comes back, too', '15', [11, 10, 4, 0]],
])('removes ended windows %s, some with each request', async (_, client, expected) => {
  const remove = vi.spyOn(Map.prototype, 'delete');
  const store = new MemoryStore();
  for (let key = 0; key < 25; key += 1) await store.add(`${key}`, 1, 10);
  vi.setSystemTime(10_000);
  remove.mockClear();
  const removed = async () => {
    await store.add(client, 1, 10);
    const keys = remove.mock.calls.flatMap(([key]) => (/^\d+$/.test(key) ? [key] : []));
    remove.mockClear();
    return keys.length;
  };
  const counts = [await removed(), await removed(), await removed(), await removed()];
  remove.mockRestore();
  expect(counts).toEqual(expected);
});

it.each<[number, string, (index: number) => string]>([
  [150, 'an IPv4 address', (index) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`],
  [300, 'a key of 128 characters', (index) => Buffer.alloc(128, `${index} `).toString()],
  [300, 'a hash', (index) => `sha256:${createHash('sha256').update(`${index}`).digest('hex')}`],
])('uses up to %i bytes for %s', async (limit, _, keyOf) => {
  // Just after the map has grown.
  const count = 140_000;
  const store = new MemoryStore();
  const heap = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = heap();
  for (let index = 0; index < count; index += 1) await store.add(keyOf(index), 1, 10);
  const size = (heap() - before) / count;
  expect(size).toBeGreaterThan(100);
  expect(size).toBeLessThanOrEqual(limit);
  expect((await store.add(keyOf(0), 0, 10)).points).toBe(1);
});
