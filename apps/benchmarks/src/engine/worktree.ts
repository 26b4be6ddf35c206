import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A temporary checkout of a commit. */
export interface Worktree {
  readonly folder: string;
  /** The abbreviated name of the commit. */
  readonly commit: string;
  /**
   * Runs a command in the checkout.
   *
   * @throws {Error} If it fails. The message contains its output.
   */
  run(command: string, args: readonly string[]): Promise<void>;
}

/**
 * Checks out a commit in a temporary git worktree while a function runs. Removes the worktree when
 * the function has ended or failed, and when SIGINT, SIGTERM or SIGHUP ends this process.
 *
 * @param repository - A folder of the git repository.
 * @param ref - What names the commit.
 * @throws {Error} If the repository has no such commit.
 */
export async function withWorktree<Result>(
  repository: string,
  ref: string,
  use: (worktree: Worktree) => Promise<Result>,
): Promise<Result> {
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: repository, encoding: 'utf8', stdio: 'pipe' }).trim();
  const commit = findCommit(git, ref);
  // Outside the repository: packages must not find its node_modules.
  const parent = mkdtempSync(join(tmpdir(), 'fairlead-against-'));
  const folder = join(parent, commit);
  const running = new Set<number>();
  const remove = () => {
    for (const group of running) killGroup(group);
    rmSync(parent, { recursive: true, force: true, maxRetries: 10 });
    git('worktree', 'prune');
  };
  const stop = (signal: (typeof SIGNALS)[number]) => {
    remove();
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  try {
    git('worktree', 'add', '--detach', folder, commit);
    return await use({
      ...{ folder, commit },
      run: (command, args) => runIn(folder, command, args, running),
    });
  } finally {
    remove();
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}

function findCommit(git: (...args: readonly string[]) => string, ref: string): string {
  try {
    return git('rev-parse', '--short=10', '--verify', '--end-of-options', `${ref}^{commit}`);
  } catch (cause) {
    throw new Error(
      `Cannot find the commit '${ref}'. Use a branch, a tag or a commit of this repository. A shallow clone needs 'git fetch --unshallow'.`,
      { cause },
    );
  }
}

function killGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch (error) {
    // It has just ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** @param running - The process groups that run, to which it adds that of the command. */
async function runIn(
  folder: string,
  command: string,
  args: readonly string[],
  running: Set<number>,
): Promise<void> {
  // Its own group, so that the processes that it starts end with it.
  const child = spawn(command, args, { cwd: folder, detached: true, stdio: 'pipe' });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const group = child.pid;
  if (group !== undefined) running.add(group);
  const [code] = await once(child, 'close');
  if (group !== undefined) running.delete(group);
  if (code === 0) return;
  throw new Error(`${[command, ...args].join(' ')} failed with code ${code}:\n${output}`);
}
