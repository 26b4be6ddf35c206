import { readFileSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Constructor, isEager } from '@fairlead/di';
import { describeValue } from '@fairlead/options';
import { DiscoveryError, describeLocation, optionError, throwProblems } from '../errors.js';
import { checkDiscoveryOptions, type DiscoveryOptions, findFiles } from './find-files.js';
import { assertHostImports, importError, importModule } from './import-file.js';
import { type FileExports, findLostClasses, isController } from './lost-classes.js';

/** What discovery found in one file. */
export interface DiscoveryResult {
  /** Absolute path of the file. */
  readonly file: string;
  /** Exported classes with `@Controller()`, each once. */
  readonly controllers: readonly Constructor[];
  /** Other exported classes with `@Service({ eager: true })`, each once. */
  readonly services: readonly Constructor[];
  /** Why discovery could not read the file's exports; absent on success. */
  readonly error?: DiscoveryError;
  /**
   * The classes whose routes would be missing, because they are not exported or have no
   * `@Controller()`; absent if there are none.
   */
  readonly lost?: readonly DiscoveryError[];
}

/** Milliseconds that discovery waits for the next import to finish. */
export const IMPORT_TIMEOUT = 10_000;

/** Minimum number of event loop turns before an import times out. */
const TIMEOUT_TICKS = 10;

/** `@Controller(` in TypeScript source, or in compiled JavaScript; or `defineController(`. */
const DECLARES_CONTROLLER = /(?:^[ \t]*@?(?:\w+\.)?Controller|\bdefineController)\(/m;

/**
 * Imports the files below a directory and finds the controllers that they export.
 *
 * The process's entry file is never imported: it may be waiting for this call. If it declares a
 * controller, its result carries an error.
 *
 * @param options - Directory and globs.
 * @returns One result per file, in path order. The errors of one file are in its result.
 * @throws {DiscoveryError} 500, when the directory is missing; when no pending import finishes within
 *   10 seconds, or the process has nothing left to do but wait for one; or when vitest needs a setting
 *   to import the files.
 * @throws {ControllerError} 500 `INVALID_OPTION`, when an option is not valid.
 */
export async function discoverControllers(options: DiscoveryOptions): Promise<DiscoveryResult[]> {
  throwProblems(checkDiscoveryOptions(options));
  return importControllers(await findFiles(options));
}

interface ImportOptions {
  /** Classes that the caller registers, exported or not. */
  readonly registered?: readonly Constructor[];
  /** Milliseconds to wait for the next import to finish. */
  readonly timeout?: number;
}

/** Imports files and finds the controllers that they export, as {@link discoverControllers}. */
export async function importControllers(
  files: readonly string[],
  { registered = [], timeout = IMPORT_TIMEOUT }: ImportOptions = {},
): Promise<DiscoveryResult[]> {
  const entry = entryFile();
  const pending = new Set(files.filter((file) => file !== entry));
  const watch = watchImports(pending, timeout);
  const importOne = async (file: string): Promise<FileExports> => {
    const result = await importFile(file);
    pending.delete(file);
    watch.restart();
    return result;
  };
  const imports = files.map((file) => (file === entry ? skipEntry(file) : importOne(file)));
  try {
    return createResults(await Promise.race([Promise.all(imports), watch.stalled]), registered);
  } finally {
    watch.stop();
  }
}

function createResults(
  files: readonly FileExports[],
  registered: readonly Constructor[],
): DiscoveryResult[] {
  const imported = files.filter(({ error }) => error === undefined);
  const allLost = findLostClasses(imported, registered, imported.length === files.length);
  return files.map(({ file, classes, error }) => {
    const lost = allLost.filter((one) => one.file === file);
    return Object.freeze({
      file,
      controllers: classes.filter(isController),
      services: classes.filter((target) => !isController(target) && isEager(target)),
      ...(error && { error }),
      ...(lost.length > 0 && { lost }),
    });
  });
}

/**
 * Collects the controllers of all results, each once, in the order of their files.
 *
 * @param results - Results of `discoverControllers`.
 * @throws {ControllerError} 500 `INVALID_OPTION`, when they are not such results.
 */
export function getControllersFromResults(results: readonly DiscoveryResult[]): Constructor[] {
  assertResults('getControllersFromResults()', results);
  return [...new Set(results.flatMap(({ controllers }) => controllers))];
}

/**
 * Collects the errors of all results, in the order of their files.
 *
 * @param results - Results of `discoverControllers`.
 * @throws {ControllerError} 500 `INVALID_OPTION`, when they are not such results.
 */
export function getErrorsFromResults(results: readonly DiscoveryResult[]): DiscoveryError[] {
  assertResults('getErrorsFromResults()', results);
  return results.flatMap(({ error, lost = [] }) => (error === undefined ? lost : [error, ...lost]));
}

function assertResults(call: string, results: unknown): void {
  const isResult = (result: unknown): boolean =>
    typeof result === 'object' && result !== null && 'controllers' in result;
  if (Array.isArray(results) && results.every(isResult)) return;
  const received = describeValue(results);
  throw optionError(
    `${call} cannot use ${received} as results. Pass the result of await discoverControllers().`,
  );
}

/** The real path of the file that Node.js runs; undefined in an interactive or piped session. */
export function entryFile(): string | undefined {
  const [, entry] = process.argv;
  if (entry === undefined) return undefined;
  try {
    // Bundlers replace an imported createRequire().
    const { createRequire } = process.getBuiltinModule('node:module');
    // Node also accepts a file without its extension and a directory with a main file.
    return realpathSync(createRequire(resolve('entry.js')).resolve(resolve(entry)));
  } catch {
    return undefined;
  }
}

function skipEntry(file: string): FileExports {
  if (!DECLARES_CONTROLLER.test(readFileSync(file, 'utf8'))) return { file, classes: [] };
  const error = new DiscoveryError(file, {
    problem:
      'the file is the entry file of the process, which is never imported, so its controllers are not registered.',
    fix: 'move them to another file.',
  });
  return { file, classes: [], error };
}

async function importFile(file: string): Promise<FileExports> {
  try {
    const exported = new Set<unknown>(Object.values(await importModule(file)));
    const isFunction = (value: unknown): value is Constructor => typeof value === 'function';
    return { file, classes: [...exported].filter(isFunction) };
  } catch (error) {
    assertHostImports(file, error);
    return { file, classes: [], error: await importError([file], error) };
  }
}

/**
 * Reports imports that do not finish in time, or that are all that is left when Node.js would exit silently, with
 * code 13. Then `stalled` rejects with a `DiscoveryError` that names the files.
 */
function watchImports(pending: ReadonlySet<string>, timeout: number) {
  const { promise: stalled, reject } = Promise.withResolvers<never>();
  stalled.catch(() => {});
  const fail = (reason: string): void => reject(stalledError([...pending], reason));
  let ticks = 0;
  // Counts turns of the event loop, because compiling a file may block it for longer than the timeout.
  const timer = setInterval(() => {
    ticks += 1;
    if (ticks >= TIMEOUT_TICKS) fail(`did not finish importing within ${timeout / 1_000} seconds`);
  }, timeout / TIMEOUT_TICKS).unref();
  // The immediate keeps the process alive until the caller has handled the rejection.
  const onIdle = (): void => {
    setImmediate(fail, 'cannot finish importing, and the process has nothing else to do');
  };
  process.once('beforeExit', onIdle);
  const restart = (): void => {
    ticks = 0;
  };
  const stop = (): void => {
    clearInterval(timer);
    process.removeListener('beforeExit', onIdle);
  };
  return { stalled, restart, stop };
}

function stalledError(files: readonly string[], reason: string): DiscoveryError {
  const [first = ''] = files;
  const names = files.map((file) => describeLocation(file)).join(', ');
  return new DiscoveryError(first, {
    problem: `these files ${reason}: ${names}. Either they import a module that awaits the startup at its top level, such as the entry file, or a top-level await never settles.`,
    fix: 'move what they import from that module to a separate file. If that module is not the entry file, add it to exclude. Make any other top-level await settle.',
  });
}
