import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { OUTPUT } from '../compile.js';
import type { Listening, Usage } from './probe.js';
import type { Program } from './servers.js';

/** How a server's process is run. */
export interface ProcessOptions {
  /** The node binary. */
  readonly node: string;
  /** Flags of node. */
  readonly flags?: readonly string[];
}

/** Whether processes can be bound to a core here. */
export const canPin: boolean = spawnSync('taskset', ['-c', '0', 'true']).status === 0;

/** A server in a process of its own, on core 0 where processes can be bound. */
export class ServerProcess {
  readonly #child: ChildProcess;
  readonly port: number;
  readonly node: string;

  private constructor(child: ChildProcess, { port, node }: Listening) {
    this.#child = child;
    this.port = port;
    this.node = node;
  }

  /**
   * Starts a program in production mode.
   *
   * @returns The process, once it listens.
   * @throws {Error} When it ends before.
   */
  static async start(
    { args: program, env }: Program,
    options: ProcessOptions,
  ): Promise<ServerProcess> {
    const command = [
      ...(canPin ? ['taskset', '-c', '0'] : []),
      ...[options.node, ...(options.flags ?? [])],
      ...['--import', join(OUTPUT, 'http/probe.js'), ...program],
    ];
    const [file = '', ...args] = command;
    const child = spawn(file, args, {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { ...process.env, ...env, NODE_ENV: 'production' },
    });
    let errors = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    const ended = once(child, 'close').then(([code]) => {
      throw new Error(`${program.join(' ')} ended with ${code} before it listened:\n${errors}`);
    });
    const [listening] = await Promise.race([once(child, 'message'), ended]);
    ended.catch(() => {});
    return new ServerProcess(child, listening);
  }

  /** @param collect - Whether garbage is collected before; needs the flag `--expose-gc`. */
  async usage({ collect = false } = {}): Promise<Usage> {
    const answer = once(this.#child, 'message');
    this.#child.send(collect ? 'collect' : 'usage');
    const [usage] = await answer;
    return usage;
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
