import type { Token } from '../token.js';
import { Failure, type Origin } from './failure.js';
import type { ScopeCells, Supplier } from './supplier.js';

/** Represents an instance whose asynchronous factory has not settled yet. */
export class Pending {
  /**
   * @param path - From the waiting token to the asynchronous provider.
   * @param promise - Resolves to the instance.
   */
  constructor(
    readonly path: readonly Token[],
    readonly promise: Promise<unknown>,
  ) {
    // Consumers handle the rejection. It must not count as unhandled when there are none.
    promise.catch(() => {});
  }

  /** Prepends the token of a waiting binding to the path, and to the path of a later failure. */
  prepend(origin: Origin): Pending {
    const promise = this.promise.catch((error) => {
      throw Failure.prepend(origin, error);
    });
    return new Pending([origin.token, ...this.path], promise);
  }
}

/** Returns the promise of a pending value, or the value itself. */
function settled(value: unknown): unknown {
  return value instanceof Pending ? value.promise : value;
}

/**
 * Waits for every pending value in a list. Returns other values as they are, including instances
 * with a `then` method.
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
 * Calls the suppliers and combines their values, waiting for pending ones first.
 *
 * @param combine - May return a {@link Pending}.
 * @returns The combined value, or a {@link Pending} for it.
 */
export function gather(
  suppliers: readonly Supplier[],
  scope: ScopeCells | undefined,
  combine: (values: readonly unknown[]) => unknown,
): unknown {
  // Allocated with its final size, because growing an array with push() over-allocates.
  const values = new Array<unknown>(suppliers.length);
  let waiting: Pending | undefined;
  let index = 0;
  for (const supplier of suppliers) {
    const value = supplier(scope);
    if (value instanceof Pending) waiting ??= value;
    values[index] = value;
    index += 1;
  }
  if (waiting === undefined) return combine(values);
  const combined = settleAll(values).then((all) => settled(combine(all)));
  return new Pending(waiting.path, combined);
}
