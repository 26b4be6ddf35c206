import { ServerProcess } from '../http/server-process.js';
import type { Program } from '../http/servers.js';

/** One start of a server. */
export interface Start {
  /** Milliseconds from the spawn of the process to its first answer. */
  readonly time: number;
  /** CPU time of its process until then, in milliseconds. */
  readonly cpu: number;
  /** Resident memory then, in bytes. */
  readonly memory: number;
  /** The first answer. */
  readonly answer: string;
  /** Version of Node. */
  readonly node: string;
}

/**
 * Starts a server in production mode, asks it once, and stops it.
 *
 * @param node - The node binary.
 * @param path - What is asked.
 */
export async function measureStart(program: Program, node: string, path: string): Promise<Start> {
  const begin = performance.now();
  const server = await ServerProcess.start(program, node);
  try {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
    const answer = await response.text();
    const time = performance.now() - begin;
    const { cpu, rss } = await server.usage();
    return { time, cpu: cpu / 1_000, memory: rss, answer, node: server.node };
  } finally {
    await server.stop();
  }
}
