import { type ChildProcess, spawn } from 'node:child_process';
import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join, resolve } from 'node:path';

/** The files of an application. */
export interface WatchedFiles {
  /** An absolute path. Folders within are watched, too. */
  readonly folder: string;
  /** Whether a change of a file matters. */
  isSource(path: string): boolean;
}

/** Milliseconds without a further change after which the program runs. Editors and compilers write several files. */
const QUIET = 50;

const NOT_FOLLOWED = /^(?:\.|node_modules$|dist$|coverage$)/;

/**
 * Runs a program whenever files change, each time in a new process, because Node.js imports a module once. Ends with
 * SIGINT or SIGTERM, or when the first run exits with 2, because the command line is wrong.
 *
 * @param args - The arguments of Node.js.
 */
export async function rerunOnChange(
  args: readonly string[],
  { folder, isSource }: WatchedFiles,
): Promise<void> {
  let running: ChildProcess | undefined;
  let isFirst = true;
  let timer: NodeJS.Timeout | undefined;
  const end = Promise.withResolvers<void>();

  const run = () => {
    const child = spawn(process.execPath, args, {
      stdio: 'inherit',
    });
    running = child;
    child.once('error', end.reject).once('exit', (code) => {
      if (running !== child) return;
      running = undefined;
      if (isFirst && code === 2) {
        process.exitCode = code;
        end.resolve();
      }
      isFirst = false;
    });
  };
  const onChange = (path: string) => {
    if (!isSource(path)) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      // It may wait forever, and would write what is out of date.
      running?.kill('SIGKILL');
      isFirst = false;
      run();
    }, QUIET);
  };

  const watchers = watchFolder(folder, onChange);
  for (const watcher of watchers) watcher.once('error', end.reject);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end.resolve);
  run();
  try {
    await end.promise;
  } finally {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
    running?.kill('SIGKILL');
  }
}

function watchFolder(folder: string, onChange: (path: string) => void): readonly FSWatcher[] {
  const start = (path: string, recursive: boolean) =>
    watch(path, { recursive }, (_event, name) => {
      if (name !== null) onChange(join(path, name));
    });
  if (folder !== resolve()) return [start(folder, true)];
  // The folder of the project contains those of its dependencies.
  const inner = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !NOT_FOLLOWED.test(entry.name),
  );
  return [start(folder, false), ...inner.map(({ name }) => start(join(folder, name), true))];
}
