import { runHttp } from './http/command.js';

const COMMANDS: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {};

const [, , first = '', ...rest] = process.argv;
try {
  await (COMMANDS[first]?.(rest) ?? runHttp(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
