import { describe, expect, it } from 'vitest';
import { streamJsonList } from './json-list.js';

async function* read<T>(...batches: T[][]): AsyncGenerator<T[]> {
  yield* batches;
}

describe('streamJsonList', () => {
  const total = (count: number) => ({ total: count, note: 'a "b"' });

  it.each([
    ['several batches', [[{ id: 1 }, { id: 2 }], [{ id: 3 }]]],
    ['a batch', [['\u2028 𝄞']]],
    ['empty batches', [[], [1], [], [2, undefined], []]],
    ['only empty batches', [[], []]],
    ['no batches', []],
  ])('writes the text of JSON.stringify for %s', async (_, batches: unknown[][]) => {
    const list = batches.flat();
    const parts = await Array.fromAsync(streamJsonList(read(...batches), 'da"ta', total));
    expect(parts.join('')).toBe(JSON.stringify({ 'da"ta': list, ...total(list.length) }));
    const bare = await Array.fromAsync(streamJsonList(read(...batches), 'data'));
    expect(bare.join('')).toBe(JSON.stringify({ data: list }));
  });

  it('writes one part for each batch, and the end', async () => {
    const parts = await Array.fromAsync(streamJsonList(read([1, 2], [3]), 'data', total));
    expect(parts).toEqual(['{"data":[1,2', ',3', '],"total":3,"note":"a \\"b\\""}']);
  });

  it('gives other work a turn of the event loop before it reads the next batch', async () => {
    let turns = 0;
    let next = setImmediate(function turn() {
      turns += 1;
      next = setImmediate(turn);
    });
    const readAt: number[] = [];
    const batches = (async function* () {
      for (const batch of [[1], [], [2], [3]]) {
        readAt.push(turns);
        yield batch;
      }
    })();
    await Array.fromAsync(streamJsonList(batches, 'data'));
    clearImmediate(next);
    expect(new Set(readAt).size).toBe(4);
  });

  it('reads no batch before its reader starts, and none after it stops', async () => {
    const ended = Promise.withResolvers<void>();
    let count = 0;
    const batches = (async function* () {
      try {
        for (;;) {
          count += 1;
          yield [count];
        }
      } finally {
        ended.resolve();
      }
    })();
    const stream = streamJsonList(batches, 'data');
    expect(count).toBe(0);
    for await (const part of stream) {
      expect(part).toBe('{"data":[1');
      break;
    }
    await ended.promise;
    expect(count).toBeLessThanOrEqual(3);
  });

  it('fails with the error of a batch', async () => {
    const failure = new Error('Gone.');
    const batches = (async function* () {
      yield [1];
      throw failure;
    })();
    await expect(Array.fromAsync(streamJsonList(batches, 'data'))).rejects.toBe(failure);
  });
});
