import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Returns the location of a text in a test file, as errors show it.
 *
 * @param url - `import.meta.url` of the file.
 * @param after - The text precedes the location, which is on its line.
 */
export function locationAfter(url: string, after: string): string {
  const file = fileURLToPath(url);
  const lines = readFileSync(file, 'utf8').split('\n');
  const index = lines.findIndex((line) => line.includes(after));
  const column = (lines[index] ?? '').indexOf(after) + after.length + 1;
  return `${relative(process.cwd(), file)}:${index + 1}:${column}`;
}
