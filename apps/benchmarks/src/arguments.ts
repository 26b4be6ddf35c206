/**
 * @param what - What the items are.
 * @returns The items of those names; all when there is no name.
 * @throws {Error} When an item of a name is missing; the message lists the names that there are.
 */
export function pick<Item extends { readonly name: string }>(
  items: readonly Item[],
  names: readonly string[],
  what: string,
): readonly Item[] {
  const unknown = names.filter((name) => items.every((item) => item.name !== name));
  if (unknown.length > 0) {
    const known = items.map(({ name }) => name).join(', ');
    throw new Error(`There is no ${what} ${unknown.join(', ')}; there are ${known}.`);
  }
  return names.length === 0 ? items : items.filter(({ name }) => names.includes(name));
}

/**
 * @param option - What the text was given for.
 * @throws {Error} When it is no whole number above 0.
 */
export function readCount(text: string, option: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new Error(`${option} is ${JSON.stringify(text)}: give a whole number above 0.`);
}
