import type { Token } from '../token.js';
import { Failure } from './failure.js';
import type { ScopeCells, Supplier } from './supplier.js';

/** Stands in for an instance that an asynchronous factory has not delivered yet. */
export class Pending {
  /**
   * @param path - From the one who waits to the asynchronous provider.
   * @param promise - Resolves to the instance.
   */
  constructor(
    readonly path: readonly Token[],
    readonly promise: Promise<unknown>,
  ) {
    // Who needs the instance sees the failure; nobody may be there to see it.
    promise.catch(() => {});
  }

  /** Puts the token that waits in front of the path, now and in a later failure. */
  under(token: Token): Pending {
    const promise = this.promise.catch((error) => {
      throw Failure.under(token, error);
    });
    return new Pending([token, ...this.path], promise);
  }
}

/** Hands over an instance once it is there. */
function settled(value: unknown): unknown {
  return value instanceof Pending ? value.promise : value;
}

/**
 * Waits for every pending value of a list.
 *
 * Only those are awaited: an instance that happens to have a `then` stays what it is.
 */
async function settleAll(values: readonly unknown[]): Promise<unknown[]> {
  const result = [...values];
  await Promise.all(
    values.map(async (value, index) => {
      if (value instanceof Pending) result[index] = await value.promise;
    }),
  );
  return result;
}

/**
 * Collects what suppliers give and hands it on, at once or when all of it is there.
 *
 * @param finish - May give a {@link Pending} value itself.
 */
export function gather(
  suppliers: readonly Supplier[],
  scope: ScopeCells | undefined,
  finish: (values: readonly unknown[]) => unknown,
): unknown {
  // Of its final size at once: a list that grows by push() first makes room for many.
  const values = new Array<unknown>(suppliers.length);
  let waiting: Pending | undefined;
  let index = 0;
  for (const supply of suppliers) {
    const value = supply(scope);
    if (value instanceof Pending) waiting ??= value;
    values[index] = value;
    index += 1;
  }
  if (waiting === undefined) return finish(values);
  const finished = settleAll(values).then((all) => settled(finish(all)));
  return new Pending(waiting.path, finished);
}
