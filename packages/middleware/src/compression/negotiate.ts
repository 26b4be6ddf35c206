/** The codings that this package can apply, by their names in `Content-Encoding`. */
export type Encoding = 'zstd' | 'br' | 'gzip';

/** How much a client wants one coding: from 0, which refuses it, to 1. RFC 9110 §12.4.2 */
const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i;

/**
 * Selects the coding of a response.
 *
 * The coding with the highest weight wins, among equal ones the first of `available`. A coding that the
 * header does not list has the weight of `*`, or else is refused. `identity` that the header does not list
 * has the weight of `*`, or else is the last choice. Malformed elements of the header are ignored.
 *
 * @param header - `Accept-Encoding`; undefined without the header, which selects `identity`.
 * @param available - The codings to choose from, in order of preference.
 * @returns A coding or `identity`; undefined if the client accepts none of them.
 * @see RFC 9110 §12.5.3
 */
export function negotiate(
  header: string | undefined,
  available: readonly Encoding[],
): Encoding | 'identity' | undefined {
  if (header === undefined) return 'identity';
  const weights = parse(header);
  const any = weights.get('*');
  let selected: Encoding | 'identity' | undefined;
  let highest = 0;
  for (const coding of available) {
    const weight = weights.get(coding) ?? any ?? 0;
    if (weight <= highest) continue;
    selected = coding;
    highest = weight;
  }
  const identity = weights.get('identity') ?? any;
  if (identity === undefined) return selected ?? 'identity';
  return identity > highest ? 'identity' : selected;
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
