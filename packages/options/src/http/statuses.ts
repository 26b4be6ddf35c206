/**
 * Statuses whose response has no content.
 *
 * @see RFC 9110 §15.3.5, §15.3.6, §15.4.5
 */
export const NO_CONTENT_STATUSES: ReadonlySet<number> = new Set([204, 205, 304]);
