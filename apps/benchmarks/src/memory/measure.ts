import { checkAnswers } from '../http/check.js';
import { Load } from '../http/load.js';
import { ServerProcess } from '../http/server-process.js';
import type { ServerKind } from '../http/servers.js';
import type { Workload } from '../http/workloads.js';

/** What a server keeps and uses; all in bytes. */
export interface Memory {
  /** Version of Node. */
  readonly node: string;
  /** Resident after the first answer. */
  readonly start: number;
  /** Resident after the load. */
  readonly end: number;
  /** Allocated on the heap for a request; garbage is not subtracted. */
  readonly perRequest: number;
}

/** What memory is measured with. */
export interface MemoryOptions {
  readonly node: string;
  /** After how many requests resident memory is looked at. */
  readonly requests: number;
  readonly connections: number;
}

interface Subject {
  readonly server: ServerKind;
  readonly workload: Workload;
}

/** So much garbage, in MiB, is made before it is collected. */
const NEW_SPACE = 256;

/** How many requests are counted when allocations are; together they make less garbage than that. */
const COUNTED = 1_500;

/**
 * Counts during which garbage was collected are worth nothing, and made again. None is collected on
 * purpose before: after that, compiled code is missing for some thousand requests.
 */
const ATTEMPTS = 10;

/** How many requests come before, so that code is compiled. */
const WARM_UP = 20_000;

/**
 * @throws {Error} When an answer is not as expected, or when garbage was collected each time
 *   allocations were counted.
 */
export async function measureMemory(
  server: ServerKind,
  workload: Workload,
  options: MemoryOptions,
): Promise<Memory> {
  const subject = { server, workload, ...options };
  const resident = await underLoad(subject, [], async (process, load) => {
    const { rss } = await process.usage();
    await send(load, options.requests);
    return { node: process.node, start: rss, end: (await process.usage()).rss };
  });
  const flags = [
    '--expose-gc',
    `--min-semi-space-size=${NEW_SPACE}`,
    `--max-semi-space-size=${NEW_SPACE}`,
  ];
  const perRequest = await underLoad(subject, flags, async (process, load) => {
    await send(load, WARM_UP);
    return countAllocations(process, load);
  });
  return { ...resident, perRequest };
}

/** @returns Bytes for a request. */
async function countAllocations(process: ServerProcess, load: Load): Promise<number> {
  for (const _ of Array(ATTEMPTS)) {
    const before = await process.usage();
    const sent = await send(load, COUNTED);
    const after = await process.usage();
    if (after.collections === before.collections) return (after.heap - before.heap) / sent;
  }
  throw new Error(`Garbage was collected in each of ${ATTEMPTS} counts of allocations.`);
}

/** Uses a server that has answered once. */
async function underLoad<Result>(
  { server, workload, node, connections }: MemoryOptions & Subject,
  flags: readonly string[],
  use: (process: ServerProcess, load: Load) => Promise<Result>,
): Promise<Result> {
  const process = await ServerProcess.start(server.program(workload.name), node, flags);
  try {
    const base = `http://127.0.0.1:${process.port}`;
    const exchanges = await workload.prepare(base);
    await checkAnswers(base, exchanges);
    const load = new Load(process.port, exchanges, connections);
    const result = await use(process, load);
    load.close();
    return result;
  } finally {
    await process.stop();
  }
}

/** @returns How many requests were sent: at least as many as asked for. */
async function send(load: Load, requests: number): Promise<number> {
  let sent = 0;
  while (sent < requests) sent += (await load.run(20)).requests;
  return sent;
}
