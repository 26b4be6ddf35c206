/** The members of a session: JSON strings by name. */
export type Members = ReadonlyMap<string, string>;

/** Returns the JSON text of an object with these members. */
export function formatMembers(members: Members): string {
  const texts = [...members].map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  return `{${texts.join(',')}}`;
}

/** Reverses {@link formatMembers}, after `JSON.parse`. */
export function parseMembers(values: object): Members {
  return new Map(
    Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)] as const),
  );
}

/** Whether two sessions have the same members. */
export function isEqual(one: Members, other: Members): boolean {
  return one.size === other.size && [...one].every(([name, text]) => other.get(name) === text);
}

/**
 * Applies the changes of one request to what another request has saved in the meantime.
 *
 * @param base - The members that both requests have read.
 * @param mine - The members after the changes of this request.
 * @param theirs - The members that the other request has saved.
 * @returns The merged members; the name of a member that both requests changed. Equal values are a conflict,
 *   too: two requests that increase a count must not count once. A member that both deleted is not a conflict.
 */
export function merge(base: Members, mine: Members, theirs: Members): Members | string {
  const merged = new Map(theirs);
  for (const name of new Set([...base.keys(), ...mine.keys()])) {
    const [before, value, other] = [base.get(name), mine.get(name), theirs.get(name)];
    if (value === before || (value === undefined && other === undefined)) continue;
    if (other !== before) return name;
    if (value === undefined) merged.delete(name);
    else merged.set(name, value);
  }
  return merged;
}
