import { spawnSync } from 'node:child_process';
import { createLogger } from '../../src/index.js';

const logger = createLogger();
const [task] = process.argv.slice(2);

// Makes standard output blocking for all processes that have it.
if (task === 'share') spawnSync('true', { stdio: 'inherit' });

// Logs more than a pipe and the buffer can hold, in one turn of the event loop or in many.
const turns = task === 'busy' ? 400 : 1;
for (let turn = 0; turn < turns; turn += 1) {
  const text = 'a'.repeat(100_000 / turns);
  for (let line = 0; line < 400; line += 1) logger.info({ number: turn * 400 + line, text });
  if (turns > 1) await new Promise(setImmediate);
}
console.error('logged');

process.on('exit', () => {
  createLogger().info('last');
});
// Ends once stdin does.
process.stdin.on('end', () => {
  console.error('ending');
  if (task === 'throw') throw new Error('It failed.');
});
process.stdin.resume();
