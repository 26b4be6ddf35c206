/** How much a client wants one coding: from 0, which refuses it, to 1. RFC 9110 §12.4.2 */
const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i;

/**
 * Returns the content codings that a client accepts, and `identity` unless it refuses that. Those that it prefers come
 * first, among equal ones the first of `available`, and `identity` after equal ones.
 *
 * A coding that the header does not list has the weight of `*`, or else is refused. `identity` that the header does not
 * list has the weight of `*`, or else is the last choice. Malformed elements of the header are ignored.
 *
 * @param header - `Accept-Encoding`; undefined without the header, which accepts only `identity`.
 * @param available - The codings to choose from, in order of preference.
 * @see RFC 9110 §12.5.3
 */
export function acceptedCodings<Coding extends string>(
  header: string | undefined,
  available: readonly Coding[],
): readonly (Coding | 'identity')[] {
  if (header === undefined) return ['identity'];
  const weights = parse(header);
  const any = weights.get('*');
  const weightOf = (coding: string): number =>
    weights.get(coding) ?? any ?? (coding === 'identity' ? Number.MIN_VALUE : 0);
  // Sorting keeps the order of equal ones.
  return [...available, 'identity' as const]
    .filter((coding) => weightOf(coding) > 0)
    .sort((one, other) => weightOf(other) - weightOf(one));
}

/** Returns the weights of the codings in a header. */
function parse(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const element of header.toLowerCase().split(',')) {
    const [name = '', parameter, ...others] = element.split(';').map((part) => part.trim());
    const weight = parameter === undefined ? '1' : WEIGHT.exec(parameter)?.[1];
    if (name === '' || weight === undefined || others.length > 0) continue;
    // RFC 9110 §8.4.1.3
    weights.set(name === 'x-gzip' ? 'gzip' : name, Number(weight));
  }
  return weights;
}
