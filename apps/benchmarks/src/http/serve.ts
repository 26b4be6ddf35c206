import type { ServerModule } from './servers.js';

// The program of each server's process: `serve.js <module> <workload>`.
const [, , module = '', workload = ''] = process.argv;
const { start }: ServerModule = await import(`./servers/${module}.js`);
const run = start[workload];
if (run === undefined)
  throw new Error(`The server ${module} does not have the workload ${workload}.`);
await run();
