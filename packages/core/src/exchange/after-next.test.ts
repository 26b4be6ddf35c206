import { describe, expect, it, vi } from 'vitest';
import { ObservedPromise } from './after-next.js';

const failure = new Error('No database.');

/** The rejections of `promise` reach nobody else. */
function rejected(): Promise<void> {
  const promise = Promise.reject(failure);
  promise.catch(() => undefined);
  return promise;
}

function observe(promise: PromiseLike<unknown>, onLost: (error: unknown) => void) {
  const follow = (next: PromiseLike<unknown>) => new ObservedPromise(next, follow, onLost);
  return follow(promise);
}

describe('ObservedPromise', () => {
  it('reports the error of an unused promise once, even if another promise follows it', async () => {
    const onLost = vi.fn();
    const observed = observe(rejected(), onLost);
    expect(observed.isUsed).toBe(false);
    const follower = observed.observe(observed.then(() => undefined));
    await expect.poll(() => onLost).toHaveBeenCalledExactlyOnceWith(failure);
    await expect(follower).rejects.toBe(failure);
    expect(onLost).toHaveBeenCalledOnce();
  });

  it.each<[string, (promise: Promise<unknown>) => Promise<unknown>]>([
    ['await', async (promise) => await promise],
    ['then()', (promise) => promise.then(() => undefined)],
    ['catch()', (promise) => promise.catch((error) => Promise.reject(error))],
    ['finally()', (promise) => promise.finally(() => undefined)],
    ['return', async (promise) => promise],
    ['Promise.all()', (promise) => Promise.all([promise])],
    ['another promise', (promise) => new Promise((resolve) => resolve(promise))],
  ])('counts %s as a use, and does not report the error', async (_, run) => {
    const onLost = vi.fn();
    const observed = observe(rejected(), onLost);
    await expect(run(observed)).rejects.toBe(failure);
    expect(observed.isUsed).toBe(true);
    expect(onLost).not.toHaveBeenCalled();
  });
});
