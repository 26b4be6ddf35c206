/** What is timed, over and over. When it returns a promise, the promise is awaited. */
export type Operation = () => unknown;

/** What a file in `subjects/` exports: each gets ready, and returns what is timed. */
export interface SubjectModule {
  readonly operations: Readonly<Record<string, (() => Operation) | undefined>>;
}

/** Makes an operation of a function that is called with each item in turn. */
export function each<Item>(
  items: readonly [Item, ...Item[]],
  use: (item: Item) => unknown,
): Operation {
  let index = 0;
  return () => {
    const item = items[index] ?? items[0];
    index = index + 1 < items.length ? index + 1 : 0;
    return use(item);
  };
}
