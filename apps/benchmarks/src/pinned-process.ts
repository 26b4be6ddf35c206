import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';

/** Whether this machine can bind processes to a core. */
const canPin: boolean = spawnSync('taskset', ['-c', '0', 'true']).status === 0;

/** Moves this process to core 1 and leaves core 0 to what is measured. */
export function pinSelf(): void {
  if (canPin) spawnSync('taskset', ['-acp', '1', `${process.pid}`]);
}

/** A Node.js process that answers messages. */
export interface PinnedProcess {
  readonly pid: number | undefined;
  /** The first message of the process. */
  readonly greeting: unknown;
  /** Sends a message and returns the reply. Rejects if the process ends first. */
  ask(question: string | number): Promise<unknown>;
  /** Kills the process and waits for its end. */
  stop(): Promise<void>;
}

/**
 * Starts a Node.js process in production mode, on core 0 if this machine can bind it, and waits for
 * its first message.
 *
 * @param node - The node binary.
 * @param args - Flags, the program, and the program's arguments.
 * @param env - Variables to add to the environment.
 * @throws {Error} If the process ends first. The message contains what it wrote to stderr.
 */
export async function startPinned(
  node: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<PinnedProcess> {
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
    throw new Error(`${args.join(' ')} exited early with code ${code}:\n${errors}`);
  });
  ended.catch(() => {});
  const receive = async () => (await Promise.race([once(child, 'message'), ended]))[0];
  return {
    pid: child.pid,
    greeting: await receive(),
    ask(question) {
      const reply = receive();
      child.send(question);
      return reply;
    },
    async stop() {
      child.kill('SIGKILL');
      await ended.catch(() => {});
    },
  };
}

/**
 * Returns the CPU time of a process since its start, in microseconds, as the kernel counts it: see
 * proc_pid_schedstat(5), because ticks of proc_pid_stat(5) are too coarse for a turn. The process does nothing for it,
 * unlike when it is asked. Undefined where there is no Linux.
 */
export function cpuOf(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const threads = `/proc/${pid}/task`;
  const nanoseconds = readdirSync(threads).map((thread) =>
    Number(readFileSync(`${threads}/${thread}/schedstat`, 'utf8').split(' ', 1)[0]),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1_000;
}
