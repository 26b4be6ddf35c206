import { acceptedCodings } from '@fairlead/options';

/** Precompressed siblings of a file: content coding and extension, the preferred one first. */
export const ENCODINGS: ReadonlyMap<string, string> = new Map([
  ['br', '.br'],
  ['zstd', '.zst'],
  ['gzip', '.gz'],
]);

/**
 * Parses the header `Accept`.
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
 */
export function acceptedEncodings(header: string | undefined): readonly string[] {
  const accepted = acceptedCodings(header, [...ENCODINGS.keys()]);
  const identity = accepted.indexOf('identity');
  return identity === -1 ? accepted : accepted.slice(0, identity);
}
