import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Finds where classes of a test file are decorated.
 *
 * @param url - `import.meta.url` of the file, whose controllers begin with `@Controller(`.
 * @returns A function from the name of a class to the place that errors show.
 */
export function placesIn(url: string): (name: string) => string {
  const file = fileURLToPath(url);
  const lines = readFileSync(file, 'utf8').split('\n');
  return (name) => {
    const end = lines.findIndex((line) => line.includes(`class ${name} `));
    const index = lines
      .slice(0, end)
      .findLastIndex((line) => line.trimStart().startsWith('@Controller('));
    // The place is that of the call, behind the @.
    const column = (lines[index] ?? '').indexOf('@') + 2;
    return `${relative(process.cwd(), file)}:${index + 1}:${column}`;
  };
}
