import { join } from 'node:path';
import { OUTPUT } from '../compile.js';
import { PinnedProcess } from '../pinned-process.js';
import type { Listening, Usage } from './probe.js';
import type { Program } from './servers.js';

/** A server in a process of its own. */
export class ServerProcess {
  readonly #process: PinnedProcess;
  readonly port: number;
  /** Version of Node. */
  readonly node: string;

  private constructor(process: PinnedProcess, { port, node }: Listening) {
    this.#process = process;
    this.port = port;
    this.node = node;
  }

  /**
   * @param program - What is started.
   * @param node - The node binary.
   * @param flags - Of node.
   * @returns The server, once it listens.
   * @throws {Error} When it ends before.
   */
  static async start(
    { args, env }: Program,
    node: string,
    flags: readonly string[] = [],
  ): Promise<ServerProcess> {
    const probe = ['--import', join(OUTPUT, 'http/probe.js')];
    const { process, message } = await PinnedProcess.start(
      node,
      [...flags, ...probe, ...args],
      env,
    );
    return new ServerProcess(process, message as Listening);
  }

  async usage(): Promise<Usage> {
    return (await this.#process.ask('usage')) as Usage;
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }
}
