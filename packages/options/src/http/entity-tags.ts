/** A list of entity tags, whose elements may be empty. Also allows spaces in tags. RFC 9110 §5.6.1, §8.8.3 */
const TAGS = /^(?:[ \t]*(?:(?:W\/)?"[^"]*"[ \t]*)?(?:,|$))*$/;

/** Whether a header lists entity tags, or nothing. */
export function isTagList(header: string): boolean {
  return TAGS.test(header);
}

/** Returns the entity tags of a header; none if it is malformed. */
export function parseTags(header: string): readonly string[] {
  return isTagList(header) ? (header.match(/(?:W\/)?"[^"]*"/g) ?? []) : [];
}

/**
 * Whether an `If-None-Match` is `*` or lists a tag, compared weakly.
 *
 * @see RFC 9110 §13.1.2
 */
export function matchesWeakly(header: string, tag: string): boolean {
  return header === '*' || parseTags(header).map(opaqueOf).includes(opaqueOf(tag));
}

/** Returns the part of an entity tag that a weak comparison compares. */
function opaqueOf(tag: string): string {
  return tag.replace(/^W\//, '');
}
