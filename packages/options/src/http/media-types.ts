/** Returns the type and subtype of a `Content-Type`, in lower case. RFC 9110 §8.3 */
export function essenceOf(header: string): string {
  const [essence = ''] = header.split(';', 1);
  return essence.trim().toLowerCase();
}

/**
 * Whether a media type is JSON: one value, unlike `application/json-seq`.
 *
 * @param essence - Type and subtype in lower case.
 * @see RFC 6839 §3.1 for the `+json` suffix.
 */
export function isJson(essence: string): boolean {
  return essence === 'application/json' || /^[\w.-]+\/[\w.!#$&^+-]+\+json$/.test(essence);
}
