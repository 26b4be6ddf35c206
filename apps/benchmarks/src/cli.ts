import { runHttp } from './http/command.js';
import { runMemory } from './memory/command.js';
import { runMicro } from './micro/command.js';
import { runStart } from './start/command.js';

const COMMANDS: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  memory: runMemory,
  micro: runMicro,
  start: runStart,
};

const [, , first = '', ...rest] = process.argv;
try {
  await (COMMANDS[first]?.(rest) ?? runHttp(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
