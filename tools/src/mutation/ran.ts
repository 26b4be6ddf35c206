/** Setup file of a measured run: notes the blocks that each test file runs, and whether it starts processes or threads. */
import childProcess from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';

const { MUTATION_RAN = '' } = process.env;
const ran = new Map<string, Set<number>>();
let startsOthers = false;

Object.assign(globalThis, {
  __ran(name: string, block: number) {
    const blocks = ran.get(name);
    if (blocks === undefined) ran.set(name, new Set([block]));
    else blocks.add(block);
  },
});
for (const channel of ['child_process', 'worker_threads']) {
  subscribe(channel, () => {
    startsOthers = true;
  });
}
// No channel has these.
for (const name of ['execSync', 'execFileSync', 'spawnSync'] as const) {
  const run: (...args: never[]) => unknown = childProcess[name];
  Reflect.set(childProcess, name, (...args: never[]) => {
    startsOthers = true;
    return run(...args);
  });
}
syncBuiltinESMExports();

afterAll(() => {
  const { testPath = '' } = expect.getState();
  const blocks = Object.fromEntries([...ran].map(([name, set]) => [name, [...set]]));
  const file = join(
    MUTATION_RAN,
    `${Buffer.from(testPath).toString('base64url').slice(-200)}.json`,
  );
  writeFileSync(file, JSON.stringify({ testPath, blocks, startsOthers }));
});
