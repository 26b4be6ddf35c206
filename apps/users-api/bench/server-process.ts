import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoopDelay, Reply, Request } from './messages.js';

/** The built users-api in a child process, configured as in production. */
export class ServerProcess {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  /**
   * Starts a server.
   *
   * @param databaseUrl - `DATABASE_URL` of the server.
   * @param maxBatch - Maximum number of writes per transaction of an SQLite store. Unlimited by default.
   * @returns The server, once it listens.
   * @throws {Error} When the server exits before it listens.
   */
  static async start(databaseUrl: string, maxBatch?: number): Promise<ServerProcess> {
    const env = { NODE_ENV: 'production', LOG_LEVEL: 'warn', HOST: '127.0.0.1', PORT: '0' };
    const args = maxBatch === undefined ? [] : [String(maxBatch)];
    const child = fork(join(import.meta.dirname, 'serve.ts'), args, {
      // The flags of the start script. By default, the child would inherit the loader of the benchmark.
      execArgv: ['--max-semi-space-size=16'],
      env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl, ...env },
    });
    const reply = await replyOf(child);
    if (reply?.type !== 'listens') throw new Error('The server exited before it listened.');
    return new ServerProcess(child, reply.url);
  }

  /** Resets the measurement of the event loop delay. */
  async beginDelay(): Promise<void> {
    await this.#request('begin');
  }

  /** Returns the event loop delay since {@link beginDelay}. */
  async readDelay(): Promise<LoopDelay> {
    const reply = await this.#request('read');
    if (reply?.type !== 'delay') throw new Error('The server exited during the measurement.');
    return reply.delay;
  }

  /** Resident memory, in bytes. */
  get memory(): number {
    return this.#status('VmRSS');
  }

  /** Peak resident memory since {@link resetPeak}, in bytes. */
  get peakMemory(): number {
    return this.#status('VmHWM');
  }

  /** Resets {@link peakMemory}. See proc_pid_clear_refs(5). */
  resetPeak(): void {
    writeFileSync(`/proc/${this.#child.pid}/clear_refs`, '5');
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.disconnect();
    await ended;
  }

  async #request(request: Request): Promise<Reply | undefined> {
    const reply = replyOf(this.#child);
    this.#child.send(request);
    return reply;
  }

  #status(field: string): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
  }
}

/** Resolves to the next message of a child, or `undefined` when it exits first. */
async function replyOf(child: ChildProcess): Promise<Reply | undefined> {
  const over = new AbortController();
  const { signal } = over;
  const ended = once(child, 'exit', { signal }).then(() => []);
  const [reply] = await Promise.race([once(child, 'message', { signal }), ended]);
  over.abort();
  return reply;
}
