/** Precompressed siblings of a file: content coding and extension, the preferred one first. */
export const ENCODINGS: ReadonlyMap<string, string> = new Map([
  ['br', '.br'],
  ['zstd', '.zst'],
  ['gzip', '.gz'],
]);

/**
 * Parses a header such as `Accept` or `Accept-Encoding`.
 *
 * @returns The quality, from 0 to 1, of each value in lower case, without its other parameters.
 * @see RFC 9110 §12.4.2
 */
export function parseQualities(header: string): ReadonlyMap<string, number> {
  const items = header.split(',').map((item): [string, number] => {
    const [value = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return [value, quality === undefined ? 1 : Number(quality) || 0];
  });
  return new Map(items.filter(([value]) => value !== ''));
}

/**
 * Returns the content codings that a client accepts and prefers to an uncompressed response.
 *
 * @param header - The value of `Accept-Encoding`, if any.
 * @returns Keys of {@link ENCODINGS}, the preferred one first.
 * @see RFC 9110 §12.5.3
 */
export function acceptedEncodings(header: string | undefined): readonly string[] {
  const qualities = parseQualities(header ?? '');
  const qualityOf = (encoding: string) => qualities.get(encoding) ?? qualities.get('*') ?? 0;
  const identity = qualities.get('identity') ?? 0;
  return [...ENCODINGS.keys()]
    .filter((encoding) => qualityOf(encoding) > 0 && qualityOf(encoding) >= identity)
    .sort((one, other) => qualityOf(other) - qualityOf(one));
}
