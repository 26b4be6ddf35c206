import { calls } from './calls/command.js';
import { http } from './http/command.js';
import { memory } from './memory.js';
import { micro } from './micro/command.js';
import { overload } from './overload/command.js';
import { plugins } from './plugins/command.js';
import { start } from './start/command.js';
import { types } from './types/command.js';
import { users } from './users/command.js';
import { large } from './users/large.js';

try {
  await http
    .addCommand(micro)
    .addCommand(start)
    .addCommand(memory)
    .addCommand(users)
    .addCommand(large)
    .addCommand(plugins)
    .addCommand(overload)
    .addCommand(types)
    .addCommand(calls)
    .parseAsync();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
