/** Sets an entry of a map. If it then has more than `limit` entries, deletes the oldest. */
export function setWithin<Key, Value>(
  map: Map<Key, Value>,
  limit: number,
  key: Key,
  value: Value,
): void {
  map.set(key, value);
  const [oldest] = map.size > limit ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
}
