import { randomUUID } from 'node:crypto';
import { styleText } from 'node:util';
import { escapeControls, escapeLine } from '@fairlead/options';
import { UsageError } from './errors.js';

/** Stands for the escape character of this program's own styles. Text of others cannot contain it. */
const STYLE = randomUUID();

/**
 * Writes text to a stream. Everything that the program prints passes through here: text of a document, a server or
 * an application cannot control the terminal.
 */
function write(stream: NodeJS.WritableStream, text: string): void {
  stream.write(escapeControls(text).replaceAll(STYLE, '\u001b'));
}

/** Writes a line to standard output. */
export function print(text: string): void {
  write(process.stdout, `${text}\n`);
}

/** Writes a line to standard error. */
export function printError(text: string): void {
  write(process.stderr, `${text}\n`);
}

/** Writes data for programs to standard output. */
export function printJson(data: unknown): void {
  print(JSON.stringify(data, undefined, 2));
}

/** Writes bytes for programs to standard output; as text if it is a terminal, which starts a new line after them. */
export async function printBytes(
  chunks: AsyncIterable<Uint8Array>,
  output: NodeJS.WritableStream & { readonly isTTY?: boolean } = process.stdout,
): Promise<void> {
  const decoder = new TextDecoder();
  let last = '\n';
  for await (const chunk of chunks) {
    if (!output.isTTY) output.write(chunk);
    else {
      const text = decoder.decode(chunk, { stream: true });
      write(output, text);
      last = text.at(-1) ?? last;
    }
  }
  if (last !== '\n') output.write('\n');
}

type Format = Parameters<typeof styleText>[0];

/** Styles a text if standard output is a terminal with colors, and `NO_COLOR` is not set. */
export function style(format: Format, text: string): string {
  const styled = styleText(format, escapeControls(text), { stream: process.stdout });
  return styled.replaceAll('\u001b', STYLE);
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
    const cells = rows.map((row) => escapeLine(row[index] ?? ''));
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
