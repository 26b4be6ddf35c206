import { expect, it } from 'vitest';
import { Queue } from './queue.js';

it('removes old requests, the least important ones first, and no more than asked', () => {
  const queue = new Queue();
  const removed: string[] = [];
  const add = (name: string, since: number, priority: 'high' | 'normal' | 'low') =>
    queue.add({ since, isOpen: () => true, run() {}, reject: () => removed.push(name) }, priority);
  add('high', 1, 'high');
  add('normal', 2, 'normal');
  add('low', 3, 'low');
  add('new', 9, 'low');
  for (const one of queue.takeUntil(5, 2)) one.reject();
  expect(removed).toEqual(['low', 'normal']);
  expect(queue.length).toBe(2);
  for (const one of queue.takeUntil(5, 2)) one.reject();
  expect(removed).toEqual(['low', 'normal', 'high']);
});
