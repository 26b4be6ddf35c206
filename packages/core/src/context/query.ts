/**
 * The first value of every query parameter.
 *
 * @param searchParams - All parameters.
 * @returns An object without prototype, so that `__proto__` is a name like any other.
 */
export function firstValues(searchParams: URLSearchParams): Record<string, string> {
  const query: Record<string, string> = Object.create(null);
  for (const [name, value] of searchParams) query[name] ??= value;
  return query;
}
