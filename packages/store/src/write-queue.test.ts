import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { StoreError } from './store-error.js';
import { WriteQueue, type WriteQueueLimits } from './write-queue.js';

interface Batch {
  readonly writes: readonly string[];
  readonly settle: PromiseWithResolvers<readonly (string | StoreError)[]>;
}

/** A queue whose batches the test settles. Each batch is in `batches` once it has begun, which takes two turns. */
function openQueue(limits: Partial<WriteQueueLimits<string>> = {}) {
  const batches: Batch[] = [];
  const queue = new WriteQueue<string, string>(
    'test',
    (writes) => {
      const settle = Promise.withResolvers<readonly (string | StoreError)[]>();
      batches.push({ writes, settle });
      return settle.promise;
    },
    { textOf: (text) => text.length, ...limits },
  );
  const turns = async (_?: unknown) => {
    for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
  };
  const echo = (index: number) => batches[index]?.settle.resolve(batches[index]?.writes ?? []);
  return { queue, batches, turns, echo };
}

describe('WriteQueue', () => {
  it('batches the writes of two turns of the event loop in order', async () => {
    const { queue, batches, turns, echo } = openQueue();
    const first = [queue.add('a'), queue.add('b')];
    await new Promise(setImmediate);
    expect(batches).toEqual([]);
    const results = Promise.all([...first, queue.add('c')]);
    await turns();
    expect(batches.map(({ writes }) => writes)).toEqual([['a', 'b', 'c']]);
    echo(0);
    expect(await results).toEqual(['a', 'b', 'c']);
  });

  it('collects writes that arrive during a commit, and those that its outcomes cause, into the next batch', async () => {
    const { queue, batches, turns, echo } = openQueue();
    const first = queue.add('a');
    await turns();
    const others = Promise.all([queue.add('b'), queue.add('c')]);
    await turns();
    expect(batches).toHaveLength(1);
    expect(queue.waiting).toBe(2);
    echo(0);
    await first;
    const caused = queue.add('d');
    await turns();
    expect(batches[1]?.writes).toEqual(['b', 'c', 'd']);
    expect(queue.waiting).toBe(0);
    echo(1);
    expect(await others).toEqual(['b', 'c']);
    expect(await caused).toBe('d');
  });

  it('splits writes into batches of the maximum size', async () => {
    const { queue, batches, turns, echo } = openQueue({ batch: 2 });
    const results = Promise.all(['a', 'b', 'c'].map((write) => queue.add(write)));
    await turns();
    echo(0);
    await turns();
    echo(1);
    expect(await results).toEqual(['a', 'b', 'c']);
    expect(batches.map(({ writes }) => writes)).toEqual([['a', 'b'], ['c']]);
  });

  it('rejects a single failed write, or all writes of a failed batch, and continues', async () => {
    const { queue, batches, turns, echo } = openQueue();
    const problem = new StoreError('STORE_FAILED', 'Failed.');
    const partly = Promise.allSettled([queue.add('a'), queue.add('b')]);
    await turns();
    batches[0]?.settle.resolve(['a', problem]);
    expect(await partly).toEqual([
      { status: 'fulfilled', value: 'a' },
      { status: 'rejected', reason: problem },
    ]);
    const all = Promise.allSettled([queue.add('c'), queue.add('d')]);
    await turns();
    batches[1]?.settle.reject(problem);
    expect(await all).toEqual([
      { status: 'rejected', reason: problem },
      { status: 'rejected', reason: problem },
    ]);
    const last = queue.add('e');
    await turns();
    echo(2);
    expect(await last).toBe('e');
  });

  it.each([
    [
      'throws a string',
      () => {
        throw 'Failed.';
      },
    ],
    ['rejects', () => Promise.reject(new TypeError('Failed.'))],
    ['returns too few outcomes', async () => []],
  ])('rejects all writes of a batch whose commit %s, and continues', async (_, fail) => {
    const commit = vi
      .fn<(writes: readonly string[]) => Promise<readonly string[]>>(async (writes) => writes)
      .mockImplementationOnce(fail);
    const queue = new WriteQueue<string, string>('test', commit, { textOf: () => 0 });
    await expect(queue.add('a')).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(await queue.add('b')).toBe('b');
  });

  it.each([
    ['writes', { waiting: 2 }, ['a', 'b']],
    ['characters', { text: 6 }, ['aaa', 'bbb']],
  ])(
    'rejects writes while the maximum number of %s is waiting, and accepts them later',
    async (_, limits, writes) => {
      const { queue, turns, echo } = openQueue(limits);
      const waiting = writes.map((write) => queue.add(write));
      await expect(queue.add('x')).rejects.toMatchObject({ code: 'STORE_BUSY', isTransient: true });
      await turns();
      const next = queue.add('x');
      echo(0);
      expect(await Promise.all(waiting)).toEqual(writes);
      await turns();
      echo(1);
      expect(await next).toBe('x');
    },
  );

  it('applies one deadline to each write, whether waiting or committing', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const lost = new StoreError('STORE_INTERRUPTED', 'Lost.');
    const giveUp = vi.fn((_count: number) => lost);
    const { queue, batches, turns, echo } = openQueue({ deadline: { timeout: 100, giveUp } });
    const outcomes: unknown[] = [];
    const add = (write: string) =>
      queue.add(write).then(
        () => outcomes.push(write),
        ({ code }: StoreError) => outcomes.push(`${write}: ${code}`),
      );
    const pass = (time: number) => turns(vi.advanceTimersByTime(time));
    const all = [add('a')];
    await pass(40);
    all.push(add('b'));
    await pass(59);
    expect(outcomes).toEqual([]);
    await pass(1);
    expect(outcomes).toEqual(['a: STORE_INTERRUPTED']);
    all.push(add('c'));
    await pass(39);
    expect(outcomes).toEqual(['a: STORE_INTERRUPTED']);
    await pass(1);
    expect(outcomes).toEqual(['a: STORE_INTERRUPTED', 'b: STORE_BUSY']);
    echo(0);
    await turns();
    echo(1);
    await Promise.all(all);
    expect(outcomes).toEqual(['a: STORE_INTERRUPTED', 'b: STORE_BUSY', 'c']);
    expect(batches.map(({ writes }) => writes)).toEqual([['a'], ['c']]);
    expect(new Set(giveUp.mock.calls.flat())).toEqual(new Set([1]));
    expect(vi.getTimerCount()).toBe(0);
  });

  it('rejects writes that time out before the next batch for the reason of the last one', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const giveUp = () => new StoreError('STORE_LOCKED', 'Locked.');
    const { queue, batches, turns, echo } = openQueue({ deadline: { timeout: 100, giveUp } });
    const first = expect(queue.add('a')).rejects.toMatchObject({ code: 'STORE_LOCKED' });
    await turns(vi.advanceTimersByTime(40));
    const second = expect(queue.add('b')).rejects.toMatchObject({ code: 'STORE_LOCKED' });
    await turns(vi.advanceTimersByTime(60));
    await first;
    echo(0);
    await Promise.resolve();
    vi.advanceTimersByTime(40);
    await second;
    await queue.idle();
    expect(batches.map(({ writes }) => writes)).toEqual([['a']]);
  });

  it('commits no batch without writes', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const giveUp = () => new StoreError('STORE_LOCKED', 'Locked.');
    const { queue, batches } = openQueue({ deadline: { timeout: 100, giveUp } });
    const late = expect(queue.add('a')).rejects.toMatchObject({ code: 'STORE_BUSY' });
    vi.advanceTimersByTime(100);
    await late;
    await queue.idle();
    expect(batches).toEqual([]);
  });

  it('is idle once it is empty', async () => {
    const { queue, turns, echo } = openQueue();
    await queue.idle();
    const settled: string[] = [];
    void queue.add('a').then((write) => settled.push(write));
    const idle = queue.idle().then(() => settled.push('idle'));
    await turns();
    echo(0);
    await idle;
    expect(settled).toEqual(['a', 'idle']);
  });
});
