import { http } from './http/command.js';
import { memory } from './memory.js';
import { micro } from './micro/command.js';
import { start } from './start/command.js';

try {
  await http.addCommand(micro).addCommand(start).addCommand(memory).parseAsync();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
