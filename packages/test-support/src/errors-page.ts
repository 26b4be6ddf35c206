import { readFileSync } from 'node:fs';

const page = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');

/** Returns the section of the error reference about a package, such as `'core'`. */
export function errorsOf(name: string): string {
  const title = `@fairlead/${name}\n`;
  const section = page.split('\n## ').find((text) => text.startsWith(title));
  if (section === undefined) throw new Error(`docs/errors.md has no section ${title}`);
  return section;
}
