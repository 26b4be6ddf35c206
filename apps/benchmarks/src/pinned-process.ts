import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** Whether processes can be bound to a core here. */
const canPin: boolean = spawnSync('taskset', ['-c', '0', 'true']).status === 0;

/** Leaves core 0 to what is measured. */
export function pinSelf(): void {
  if (canPin) spawnSync('taskset', ['-acp', '1', `${process.pid}`]);
}

/** A process of node in production mode that answers questions, on core 0 where that can be said. */
export class PinnedProcess {
  readonly #child: ChildProcess;
  /** Rejects when the process ends. */
  readonly #ended: Promise<never>;

  private constructor(child: ChildProcess, ended: Promise<never>) {
    this.#child = child;
    this.#ended = ended;
  }

  /**
   * @param node - The node binary.
   * @param args - Flags, the program, and its arguments.
   * @param env - What is added to the environment.
   * @returns The process, and the first message that it sent.
   * @throws {Error} When it ends before; the message has what it wrote to stderr.
   */
  static async start(
    node: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly process: PinnedProcess; readonly message: unknown }> {
    const [file = '', ...rest] = [...(canPin ? ['taskset', '-c', '0'] : []), node, ...args];
    const child = spawn(file, rest, {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { ...process.env, ...env, NODE_ENV: 'production' },
    });
    let errors = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    const ended = once(child, 'close').then(([code]) => {
      throw new Error(`${args.join(' ')} ended with ${code} too early:\n${errors}`);
    });
    ended.catch(() => {});
    const [message] = await Promise.race([once(child, 'message'), ended]);
    return { process: new PinnedProcess(child, ended), message };
  }

  /**
   * Sends a message, and waits for the answer.
   *
   * @throws {Error} When the process ends before.
   */
  async ask(question: unknown): Promise<unknown> {
    const answer = once(this.#child, 'message');
    this.#child.send(question as object);
    const [message] = await Promise.race([answer, this.#ended]);
    return message;
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
