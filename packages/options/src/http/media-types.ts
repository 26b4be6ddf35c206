/** Returns the type and subtype of a `Content-Type`, in lower case. RFC 9110 §8.3 */
export function essenceOf(header: string): string {
  const [essence = ''] = header.split(';', 1);
  return essence.trim().toLowerCase();
}

/**
 * Whether a media type is JSON: one value, unlike `application/json-seq`.
 *
 * @param essence - Type and subtype in lower case.
 * @see MIME Sniffing Standard §4.6
 */
export function isJson(essence: string): boolean {
  if (essence === 'application/json' || essence === 'text/json') return true;
  return /^[\w.-]+\/[\w.!#$&^+-]+\+json$/.test(essence);
}

/** Whether a text is a media type or a range: `image/png`, `text/*`, `application/*+json`. RFC 9110 §12.5.1, RFC 6839 */
export function isMediaRange(text: string): boolean {
  return /^(?:\*\/\*|[\w!#$&^.+-]+\/(?:\*|\*\+[\w!#$&^.-]+|[\w!#$&^.+-]+))$/.test(text);
}

/**
 * Lists the media type and the ranges that include it, the narrowest first: `application/hal+json`,
 * `application/*+json`, `application/*`.
 *
 * @param essence - Type and subtype in lower case, or a range.
 */
export function rangesOf(essence: string): readonly string[] {
  const [family, subtype = '', rest] = essence.split('/', 3);
  if (subtype === '' || rest !== undefined) return [essence, '*/*'];
  const end = essence.lastIndexOf('+');
  const ofSuffix = end < 0 ? [] : [`${family}/*${essence.slice(end)}`];
  return [essence, ...ofSuffix, `${family}/*`, '*/*'];
}

/** Whether a media type or a range includes another one. */
export function includesType(range: string, essence: string): boolean {
  return rangesOf(essence.toLowerCase()).includes(range.toLowerCase());
}

/**
 * Adds the charset of text to a type that lacks it. JSON has no charset.
 *
 * @see RFC 9110 §8.3.2
 */
export function withCharset(type: string): string {
  const lacksCharset = /^text\/(?!json\b)/i.test(type) && !/charset=/i.test(type);
  return lacksCharset ? `${type}; charset=utf-8` : type;
}
