import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Creates a stream that writes a list as JSON, one batch at a time. So a list of any length takes little memory and
 * does not block the process. The text is that of `JSON.stringify({ [name]: list, ...rest(list.length) })`.
 *
 * @param batches - The elements of the list. The stream reads at most one batch ahead.
 * @param name - Name of the member that has the list.
 * @param rest - Called after the last batch with the number of elements. Returns the other members.
 */
export function streamJsonList(
  batches: AsyncIterable<readonly unknown[]>,
  name: string,
  rest: (count: number) => object = () => ({}),
): Readable {
  // Strings need not be copied to buffers.
  return Readable.from(writeJsonList(batches, name, rest), { highWaterMark: 1 });
}

async function* writeJsonList(
  batches: AsyncIterable<readonly unknown[]>,
  name: string,
  rest: (count: number) => object,
): AsyncGenerator<string, void> {
  let count = 0;
  let before = `{${JSON.stringify(name)}:[`;
  for await (const batch of batches) {
    if (batch.length > 0) {
      yield before + JSON.stringify(batch).slice(1, -1);
      before = ',';
      count += batch.length;
    }
    // Batches that are read synchronously by a fast client would otherwise block other requests.
    await nextTurn();
  }
  const others = JSON.stringify(rest(count)).slice(1);
  yield `${count === 0 ? before : ''}]${others === '}' ? '' : ','}${others}`;
}
