/** Writes a reference in one spelling. */
export function referenceTo(keys: readonly string[]): string {
  const escaped = keys.map((key) =>
    key.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('%', '%25'),
  );
  return ['#', ...escaped].join('/');
}
