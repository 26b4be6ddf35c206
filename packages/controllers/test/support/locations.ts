import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Locates the decorators of controllers in a test file.
 *
 * @param url - `import.meta.url` of the file. Its controllers start with `@Controller(`.
 * @returns A function from the name of a class, and from the first letters of a method's decorator, to the
 *   location that errors show.
 */
export function locationsIn(url: string): (name: string, decorator?: string) => string {
  const file = fileURLToPath(url);
  const lines = readFileSync(file, 'utf8').split('\n');
  return (name, decorator = '@Controller(') => {
    const end = lines.findIndex((line) => line.includes(`class ${name} `));
    const isDecorator = (line: string): boolean => line.trimStart().startsWith(decorator);
    const ofClass = lines.slice(0, end).findLastIndex(isDecorator);
    const ofMethod = end + lines.slice(end).findIndex(isDecorator);
    return location(file, lines, decorator === '@Controller(' ? ofClass : ofMethod);
  };
}

/**
 * Locates decorators in a test file.
 *
 * @param url - `import.meta.url` of the file.
 * @returns A function from a decorator, as it is written, to the location that errors show.
 */
export function decoratorsIn(url: string): (decorator: string) => string {
  const file = fileURLToPath(url);
  const lines = readFileSync(file, 'utf8').split('\n');
  return (decorator) =>
    location(
      file,
      lines,
      lines.findIndex((line) => line.trimStart().startsWith(decorator)),
    );
}

/**
 * Locates a call in a test file.
 *
 * @param url - `import.meta.url` of the file.
 * @param call - The beginning of the call. Its last occurrence counts.
 */
export function locationIn(url: string, call: string): string {
  const file = fileURLToPath(url);
  const lines = readFileSync(file, 'utf8').split('\n');
  const index = lines.findLastIndex((line) => line.includes(call));
  const column = (lines[index] ?? '').indexOf(call) + 1;
  return `${relative(process.cwd(), file)}:${index + 1}:${column}`;
}

function location(file: string, lines: readonly string[], index: number): string {
  // The position is that of the call, after the @.
  const column = (lines[index] ?? '').indexOf('@') + 2;
  return `${relative(process.cwd(), file)}:${index + 1}:${column}`;
}
