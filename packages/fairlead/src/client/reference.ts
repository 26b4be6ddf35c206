/** Writes a reference in one spelling. */
export function referenceTo(keys: readonly string[]): string {
  const escaped = keys.map((key) =>
    key.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('%', '%25'),
  );
  return ['#', ...escaped].join('/');
}

/** Returns the keys of a JSON Pointer in a fragment. RFC 6901 §6 */
export function pointerOf(reference: string): readonly string[] {
  return reference
    .slice(1)
    .split('/')
    .slice(1)
    .map((key) => {
      const decoded = /%(?![\da-f]{2})/i.test(key) ? key : decodeURIComponent(key);
      return decoded.replaceAll('~1', '/').replaceAll('~0', '~');
    });
}
