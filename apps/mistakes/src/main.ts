import { rm } from 'node:fs/promises';
import { FILES } from './files.js';
import { mistakes } from './mistake.js';
import { type Observation, observe, recordLog } from './observe.js';

/** Makes all mistakes, one after the other, and sends the observations to the parent process. */
async function main(): Promise<void> {
  const observations: Observation[] = [];
  await rm(FILES, { recursive: true, force: true });
  recordLog();
  for (const mistake of mistakes) observations.push(await observe(mistake));
  process.send?.(observations, () => process.exit());
}

// The compiler must not check the mistakes together with this file.
await import(new URL('../rows/index.js', import.meta.url).href);
main().catch((error) => {
  // The log is recorded.
  process.stdout.write(`${error.stack}\n`);
  process.exitCode = 1;
});
