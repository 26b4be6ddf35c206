import { styleText } from 'node:util';
import { UsageError } from './errors.js';

/** Writes a line to standard output. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Writes data for programs to standard output. */
export function printJson(data: unknown): void {
  print(JSON.stringify(data, undefined, 2));
}

type Format = Parameters<typeof styleText>[0];

/** Styles a text if standard output is a terminal with colors, and `NO_COLOR` is not set. */
export function style(format: Format, text: string): string {
  return styleText(format, text, { stream: process.stdout });
}

/**
 * Formats rows as a table. Omits columns without text.
 *
 * @param names - The name of each column.
 * @param rows - As many cells as names.
 * @returns Lines without trailing spaces, and without a final line break.
 */
export function formatTable(
  names: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const columns = names.flatMap((name, index) => {
    const cells = rows.map((row) => row[index] ?? '');
    const width = Math.max(name.length, ...cells.map(({ length }) => length));
    const isEmpty = cells.every((cell) => cell === '');
    return isEmpty ? [] : [[name, ...cells].map((cell) => cell.padEnd(width))];
  });
  const lines = ['', ...rows].map((_, row) => columns.map((cells) => cells[row]).join('  '));
  const [head = '', ...body] = lines.map((line) => line.trimEnd());
  return [style('bold', head), ...body].join('\n');
}

/** Formats a number of things: `1 route`, `2 routes`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** @throws {UsageError} When an error is that of a file that cannot be written, or else the error. */
export function refuseFile(error: NodeJS.ErrnoException, file: string | undefined): never {
  if (file === undefined || error.syscall === undefined) throw error;
  throw new UsageError(
    `Cannot write ${file}: ${error.message}. Use a file in a folder that exists.`,
  );
}
