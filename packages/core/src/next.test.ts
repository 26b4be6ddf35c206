import { describe, expect, it, vi } from 'vitest';
import { PromiseUse } from './next.js';

const failure = new Error('No database.');

/** The rejections of `promise` reach nobody else. */
function rejected(): Promise<void> {
  const promise = Promise.reject(failure);
  promise.catch(() => undefined);
  return promise;
}

describe('PromiseUse', () => {
  it('releases the promise that it observes, which then counts as used', async () => {
    const onLost = vi.fn();
    const use = new PromiseUse(onLost);
    const promise = rejected();
    const observed = use.observe(promise);
    expect(use.isFloating).toBe(true);
    expect(use.release(observed)).toBe(promise);
    expect(use.isFloating).toBe(false);
    await promise.catch(() => undefined);
    expect(onLost).not.toHaveBeenCalled();
  });

  it('releases other values as they are', () => {
    const use = new PromiseUse(() => undefined);
    for (const value of [undefined, 'text']) expect(use.release(value)).toBe(value);
    use.observe(Promise.resolve());
    expect(use.release(undefined)).toBeUndefined();
    expect(use.isFloating).toBe(true);
  });

  it('reports the error of an unused promise once, even if another promise follows it', async () => {
    const onLost = vi.fn();
    const use = new PromiseUse(onLost);
    const follower = use.observe(use.observe(rejected()).then(() => undefined));
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
    const use = new PromiseUse(onLost);
    await expect(run(use.observe(rejected()))).rejects.toBe(failure);
    expect(use.isFloating).toBe(false);
    expect(onLost).not.toHaveBeenCalled();
  });
});
