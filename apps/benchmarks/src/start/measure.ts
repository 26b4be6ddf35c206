import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/** One start of a program. */
export interface Start {
  /** Milliseconds from the spawn of the process to its first answer. */
  readonly time: number;
  /** Resident memory then, in bytes. */
  readonly memory: number;
  /** The first answer. */
  readonly answer: unknown;
}

/**
 * Starts a program in production mode, asks it once, and stops it.
 *
 * @param main - The program; prints its port once it listens.
 * @param path - What is asked.
 */
export async function measureStart(main: string, path: string): Promise<Start> {
  const begin = performance.now();
  const child = spawn(process.execPath, [main], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  try {
    const [port] = await Promise.race([once(child.stdout, 'data'), ended(child)]);
    const response = await fetch(`http://127.0.0.1:${String(port).trim()}${path}`);
    const answer = await response.json();
    const time = performance.now() - begin;
    return { time, memory: residentMemory(child.pid), answer };
  } finally {
    child.kill('SIGKILL');
  }
}

async function ended(child: ReturnType<typeof spawn>): Promise<never> {
  const [code] = await once(child, 'exit');
  throw new Error(`The program ended with ${code} before it listened.`);
}

function residentMemory(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
