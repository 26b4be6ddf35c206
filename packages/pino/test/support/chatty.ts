import { createLogger } from '../../src/index.js';

// Logs more than a pipe and the buffer can hold, reports that on stderr, and ends once stdin does.
const logger = createLogger();
const text = 'a'.repeat(100_000);
for (let number = 0; number < 400; number += 1) logger.info({ number, text });
console.error('logged');
process.stdin.on('end', () => {
  logger.info('last');
  console.error('ending');
});
process.stdin.resume();
