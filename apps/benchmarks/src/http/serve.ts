import type { ServerModule } from './servers.js';

// The program of every server's process: `serve.js <module> <workload>`.
const [, , module = '', workload = ''] = process.argv;
const { start }: ServerModule = await import(`./servers/${module}.js`);
const run = start[workload];
if (run === undefined) throw new Error(`The server ${module} has no workload ${workload}.`);
await run();
