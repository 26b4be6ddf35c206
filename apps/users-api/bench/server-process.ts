import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoopDelay, Reply, Request } from './messages.js';

/** The built users-api in a process of its own, set up as in production. */
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
   * @param databaseUrl - Its store.
   * @param maxBatch - Writes in one transaction of an SQLite store; as many as wait unless given.
   * @returns The server, once it listens.
   * @throws {Error} When it ends before.
   */
  static async start(databaseUrl: string, maxBatch?: number): Promise<ServerProcess> {
    const env = { NODE_ENV: 'production', LOG_LEVEL: 'warn', HOST: '127.0.0.1', PORT: '0' };
    const args = maxBatch === undefined ? [] : [String(maxBatch)];
    const child = fork(join(import.meta.dirname, 'serve.ts'), args, {
      // Those of the start script, and not those of the bench, whose loader would be measured too.
      execArgv: ['--max-semi-space-size=16'],
      env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl, ...env },
    });
    const reply = await replyOf(child);
    if (reply?.type !== 'listens') throw new Error('The server ended before it listened.');
    return new ServerProcess(child, reply.url);
  }

  /** Forgets how late the event loop was up to now. */
  async beginDelay(): Promise<void> {
    await this.#ask('begin');
  }

  /** How late the event loop was since {@link beginDelay}. */
  async readDelay(): Promise<LoopDelay> {
    const reply = await this.#ask('read');
    if (reply?.type !== 'delay') throw new Error('The server ended while it was measured.');
    return reply.delay;
  }

  /** Resident memory, in bytes. */
  get memory(): number {
    return this.#status('VmRSS');
  }

  /** The most resident memory since {@link forgetPeak}, in bytes. */
  get peakMemory(): number {
    return this.#status('VmHWM');
  }

  /** @see proc_pid_clear_refs(5) */
  forgetPeak(): void {
    writeFileSync(`/proc/${this.#child.pid}/clear_refs`, '5');
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.disconnect();
    await ended;
  }

  async #ask(request: Request): Promise<Reply | undefined> {
    const reply = replyOf(this.#child);
    this.#child.send(request);
    return reply;
  }

  #status(field: string): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
  }
}

/** The next message of a child; `undefined` when it ends before. */
async function replyOf(child: ChildProcess): Promise<Reply | undefined> {
  const over = new AbortController();
  const { signal } = over;
  const ended = once(child, 'exit', { signal }).then(() => []);
  const [reply] = await Promise.race([once(child, 'message', { signal }), ended]);
  over.abort();
  return reply;
}
