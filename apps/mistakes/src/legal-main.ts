import { rm } from 'node:fs/promises';
import { FILES } from './files.js';
import { programs } from './legal/program.js';
import { type LegalReport, recordLog, runLegal } from './observe.js';
import './legal/index.js';

/** Runs all legal programs, one after the other, and sends what is wrong with them to the parent process. */
async function main(): Promise<void> {
  await rm(FILES, { recursive: true, force: true });
  recordLog();
  const reports: LegalReport[] = [];
  for (const program of programs) reports.push(await runLegal(program));
  process.send?.(reports, () => process.exit());
}

main().catch((error) => {
  // The log is recorded.
  process.stdout.write(`${error.stack}\n`);
  process.exitCode = 1;
});
