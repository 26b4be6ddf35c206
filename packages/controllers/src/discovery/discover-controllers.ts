import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Constructor, isEager } from '@fairlead/di';
import { codeOf, describeLocation } from '../errors/controller-error.js';
import { DiscoveryError, throwProblems } from '../errors/startup-errors.js';
import { ownMetadata } from '../metadata/class-metadata.js';
import { checkDiscoveryOptions, type DiscoveryOptions, findFiles } from './find-files.js';
import { assertHostImports, importModule } from './import-module.js';

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
}

/** Milliseconds that discovery waits for the next import to finish. */
export const IMPORT_TIMEOUT = 10_000;

/** Minimum number of event loop turns before an import times out. */
const TIMEOUT_TICKS = 10;

/** `@Controller(` in TypeScript source, or in compiled JavaScript. */
const DECLARES_CONTROLLER = /^\s*@?(?:\w+\.)?Controller\(/m;

/** Node's error codes for TypeScript that it cannot run. */
const TYPESCRIPT_CODES: ReadonlySet<unknown> = new Set([
  'ERR_UNKNOWN_FILE_EXTENSION',
  'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX',
  'ERR_INVALID_TYPESCRIPT_SYNTAX',
]);

/** V8's message for a class or constant that is used before its declaration has run. */
const USED_TOO_EARLY = /^Cannot access '(.+)' before initialization$/;

/**
 * Imports the files below a directory and finds the controllers that they export.
 *
 * The process's entry file is never imported: it may be waiting for this call. If it declares a
 * controller, its result carries an error.
 *
 * @param options - Directory and globs.
 * @returns One result per file, in path order. An error of one file is in its result.
 * @throws {DiscoveryError} 500, when the directory is missing; when no pending import finishes within
 *   10 seconds, or the process has nothing left to do but wait for one; or when vitest needs a setting
 *   to import the files.
 * @throws {ControllerError} 500 `INVALID_OPTION`, when an option is not valid.
 */
export async function discoverControllers(options: DiscoveryOptions): Promise<DiscoveryResult[]> {
  throwProblems(checkDiscoveryOptions(options));
  return discover(options, IMPORT_TIMEOUT);
}

/** Implements {@link discoverControllers} with a timeout in milliseconds. */
export async function discover(
  options: DiscoveryOptions,
  timeout: number,
): Promise<DiscoveryResult[]> {
  const files = await findFiles(options);
  const entry = entryFile();
  const pending = new Set(files.filter((file) => file !== entry));
  const watch = watchImports(pending, timeout);
  const importOne = async (file: string): Promise<DiscoveryResult> => {
    const result = await importControllers(file);
    pending.delete(file);
    watch.progress();
    return result;
  };
  const results = files.map((file) => (file === entry ? skipEntry(file) : importOne(file)));
  try {
    return await Promise.race([Promise.all(results), watch.stalled]);
  } finally {
    watch.stop();
  }
}

/**
 * Collects the controllers of all results, each once, in the order of their files.
 *
 * @param results - Results of `discoverControllers`.
 */
export function getControllersFromResults(results: readonly DiscoveryResult[]): Constructor[] {
  return [...new Set(results.flatMap(({ controllers }) => controllers))];
}

/**
 * Collects the errors of all results, in the order of their files.
 *
 * @param results - Results of `discoverControllers`.
 */
export function getErrorsFromResults(results: readonly DiscoveryResult[]): DiscoveryError[] {
  return results.flatMap(({ error }) => error ?? []);
}

/** The real path of the file that node runs; undefined in an interactive or piped session. */
export function entryFile(): string | undefined {
  const [, entry] = process.argv;
  if (entry === undefined) return undefined;
  try {
    // Node also accepts a file without its extension and a directory with a main file.
    return realpathSync(createRequire(resolve('entry.js')).resolve(resolve(entry)));
  } catch {
    return undefined;
  }
}

function skipEntry(file: string): DiscoveryResult {
  if (!DECLARES_CONTROLLER.test(readFileSync(file, 'utf8'))) return success(file, [], []);
  return failure(
    new DiscoveryError(file, {
      problem:
        'the file is the entry file of the process, which is never imported, so its controllers are not registered.',
      fix: 'move them to another file.',
    }),
  );
}

async function importControllers(file: string): Promise<DiscoveryResult> {
  try {
    const namespace = await importModule(file);
    const exported = [...new Set<unknown>(Object.values(namespace))];
    return success(file, exported.filter(isController), exported.filter(isEagerService));
  } catch (error) {
    assertHostImports(file, error);
    return failure(importError(file, error));
  }
}

function success(
  file: string,
  controllers: readonly Constructor[],
  services: readonly Constructor[],
): DiscoveryResult {
  return Object.freeze({ file, controllers, services });
}

function failure(error: DiscoveryError): DiscoveryResult {
  return Object.freeze({ file: error.file, controllers: [], services: [], error });
}

function isController(value: unknown): value is Constructor {
  return typeof value === 'function' && ownMetadata(value)?.controller !== undefined;
}

function isEagerService(value: unknown): value is Constructor {
  return typeof value === 'function' && !isController(value) && isEager(value as Constructor);
}

function importError(file: string, cause: unknown): DiscoveryError {
  // Errors of this package and of the container already contain a fix.
  const [thrown, fix = importFix(file, cause)] = String(cause).split('\n  Fix: ');
  const problem = `importing the file threw ${thrown}`;
  return new DiscoveryError(file, { problem, fix, cause }, positionIn(file, cause));
}

function importFix(file: string, error: unknown): string {
  const [, name] =
    error instanceof ReferenceError ? (USED_TOO_EARLY.exec(error.message) ?? []) : [];
  if (name !== undefined) {
    return `break the import cycle, or declare ${name} before its first use. For a constructor parameter, write @Inject(lazy(() => ${name})) and the type Lazy<${name}>.`;
  }
  const isSyntax = error instanceof SyntaxError || TYPESCRIPT_CODES.has(codeOf(error));
  return /ts$/.test(file) && isSyntax
    ? 'point root at compiled JavaScript, or start node with a loader that compiles decorators.'
    : 'correct the file, or add it to exclude.';
}

/** The line, and the column if known, at which a stack first names a file. */
function positionIn(file: string, error: unknown): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const [, after = ''] = stack.replaceAll(pathToFileURL(file).href, file).split(`${file}:`);
  return /^\d+(?::\d+)?/.exec(after)?.[0];
}

/** Reports imports that do not finish. */
interface ImportWatch {
  /** Rejects with a `DiscoveryError` that names the pending files. */
  readonly stalled: Promise<never>;
  /** Restarts the timeout. */
  readonly progress: () => void;
  readonly stop: () => void;
}

/**
 * Watches for a timeout, and for the moment at which node would exit silently, with code 13, because
 * only unfinished imports are left.
 */
function watchImports(pending: ReadonlySet<string>, timeout: number): ImportWatch {
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
  return {
    stalled,
    progress: () => {
      ticks = 0;
    },
    stop: () => {
      clearInterval(timer);
      process.removeListener('beforeExit', onIdle);
    },
  };
}

function stalledError(files: readonly string[], reason: string): DiscoveryError {
  const [first = ''] = files;
  const names = files.map((file) => describeLocation(file)).join(', ');
  return new DiscoveryError(first, {
    problem: `these files ${reason}: ${names}. Either they import a module that awaits the startup at its top level, such as the entry file, or a top-level await never settles.`,
    fix: 'move what they import from that module to a separate file. If that module is not the entry file, add it to exclude. Make any other top-level await settle.',
  });
}
