import { escapeControls } from '@fairlead/options';

/** Writes a line to standard output. Text of others, such as a path, cannot control the terminal. */
export function print(text: string): void {
  process.stdout.write(`${escapeControls(text)}\n`);
}

/** Same as {@link print}, for standard error. */
export function printError(text: string): void {
  process.stderr.write(`${escapeControls(text)}\n`);
}
