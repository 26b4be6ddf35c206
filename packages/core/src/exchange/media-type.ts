import { essenceOf } from '@fairlead/options';

/** A parsed `Content-Type`. */
export interface MediaType {
  /** Type and subtype in lower case, such as `application/json`. */
  readonly essence: string;
  /** The `charset` parameter in lower case, or undefined. */
  readonly charset: string | undefined;
}

/**
 * Parses a `Content-Type` header.
 *
 * @see RFC 9110 §8.3
 */
export function parseMediaType(header: string): MediaType {
  const [, ...parameters] = header.split(';');
  const charset = parameters
    .map((parameter) => /^charset\s*=\s*"?([^"\s]*)"?$/i.exec(parameter.trim())?.[1])
    .find((value) => value !== undefined);
  return { essence: essenceOf(header), charset: charset?.toLowerCase() };
}

/**
 * Returns the header `Accept-Query` for media types, if it can express any of them.
 *
 * @see RFC 10008 §3
 */
export function acceptQuery(mediaTypes: readonly string[]): Readonly<Record<string, string>> {
  const expressible = mediaTypes.filter((type) => !type.includes('*+'));
  const list = expressible.map((type) => `"${type}"`).join(', ');
  return list === '' ? {} : { 'Accept-Query': list };
}
