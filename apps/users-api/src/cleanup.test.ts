import { describe, expect, it } from 'vitest';
import { Cleanup } from './cleanup.js';

describe('Cleanup', () => {
  it('runs callbacks once, one at a time, the last one first', async () => {
    const cleanup = new Cleanup();
    const closed: string[] = [];
    cleanup.add(async () => {
      await Promise.resolve();
      closed.push('store');
    });
    cleanup.add(() => closed.push('application'));
    await cleanup.run();
    await cleanup.run();
    expect(closed).toEqual(['application', 'store']);
  });

  it('runs every callback when some fail, and throws all failures', async () => {
    const cleanup = new Cleanup();
    const closed: string[] = [];
    cleanup.add(() => closed.push('store'));
    cleanup.add(() => Promise.reject(new Error('Broken.')));
    cleanup.add(() => {
      throw new Error('Broken, too.');
    });
    await expect(cleanup.run()).rejects.toMatchObject({
      errors: [new Error('Broken, too.'), new Error('Broken.')],
    });
    expect(closed).toEqual(['store']);
  });
});
