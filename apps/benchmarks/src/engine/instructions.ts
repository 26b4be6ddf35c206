import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quantile } from '../comparison.js';
import { startLoaded } from '../http/loaded-server.js';
import type { StartableServer } from '../http/servers.js';
import type { Workload } from '../http/workloads.js';

/** How many requests a server answers before it is measured. V8 has then compiled what it will. */
const WARM_UP = 20_000;

/** How many parts of how many requests are measured. */
const PARTS = { count: 5, requests: 1_000 };

/**
 * Counts the instructions of a server outside the kernel, including garbage collection and compilation.
 *
 * @param node - The node binary of the server.
 * @returns The instructions per request: the median of several parts.
 * @throws {Error} If a response is wrong.
 */
export async function countInstructions(
  server: StartableServer,
  workload: Workload,
  node: string,
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-instructions-'));
  // With threads, the instructions of a request would depend on when a compilation ends.
  const flags = [
    '--tool=callgrind',
    '--quiet',
    `--callgrind-out-file=${folder}/out`,
    node,
    '--single-threaded',
  ];
  try {
    const loaded = await startLoaded(server, workload, {
      node: 'valgrind',
      flags,
      connections: 32,
    });
    const control = (option: string) =>
      execFileSync('callgrind_control', [option, `${loaded.process.pid}`], { stdio: 'pipe' });
    const send = async (least: number) => {
      let requests = 0;
      while (requests < least) requests += (await loaded.run(100)).requests;
      return requests;
    };
    try {
      await send(WARM_UP);
      const parts: number[] = [];
      for (const _ of Array(PARTS.count)) {
        control('--zero');
        const requests = await send(PARTS.requests);
        control('--dump');
        parts.push(readNewest(folder) / requests);
      }
      return quantile(parts, 0.5);
    } finally {
      await loaded.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reads the instructions in the newest of the files `out.1`, `out.2` and so on. */
function readNewest(folder: string): number {
  const numbers = readdirSync(folder).map((name) => Number(/^out\.(\d+)$/.exec(name)?.[1] ?? 0));
  const text = readFileSync(join(folder, `out.${Math.max(...numbers)}`), 'utf8');
  return Number(/^(?:totals|summary): (\d+)/m.exec(text)?.[1]);
}

/** @throws {Error} If valgrind is not installed. */
export function requireValgrind(): void {
  try {
    execFileSync('valgrind', ['--version'], { stdio: 'pipe' });
  } catch (cause) {
    throw new Error(
      'Cannot count instructions without valgrind. Install it, for example with `apt-get install valgrind`.',
      { cause },
    );
  }
}
