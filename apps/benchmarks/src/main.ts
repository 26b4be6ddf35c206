import { runHttp } from './http/command.js';
import { runMicro } from './micro/command.js';

const COMMANDS: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  micro: runMicro,
};

const [, , first = '', ...rest] = process.argv;
try {
  await (COMMANDS[first]?.(rest) ?? runHttp(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
