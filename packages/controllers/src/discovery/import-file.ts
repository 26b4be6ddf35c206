import { pathToFileURL } from 'node:url';
import type { Constructor } from '@fairlead/di';
import { codeOf } from '../errors/code-of.js';
import { DiscoveryError } from '../errors/discovery-error.js';
import { EXPERIMENTAL_FIX, STANDARD_DECORATOR } from '../metadata/assert-experimental.js';
import { ownMetadata } from '../metadata/storage.js';

/** Codes of node for TypeScript that it does not run by itself. */
const TYPESCRIPT_CODES: ReadonlySet<unknown> = new Set([
  'ERR_UNKNOWN_FILE_EXTENSION',
  'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX',
  'ERR_INVALID_TYPESCRIPT_SYNTAX',
]);

/** What V8 says of a class or a constant that is used before its declaration has run. */
const TOO_EARLY = /^Cannot access '(.+)' before initialization$/;

/**
 * Imports a file and picks the controllers that it exports.
 *
 * @param file - Absolute path.
 * @param idle - Rejects when the process has nothing left to do but to wait for imports.
 * @throws {DiscoveryError} 500, when the import fails or cannot settle.
 */
export async function importControllers(
  file: string,
  idle: Promise<never>,
): Promise<Constructor[]> {
  try {
    const loaded: Promise<object> = import(pathToFileURL(file).href);
    const namespace = await Promise.race([loaded, idle]);
    return [...new Set(Object.values(namespace))].filter(isController);
  } catch (error) {
    throw error instanceof StalledImport ? stalled(file) : failed(file, error);
  }
}

function isController(value: unknown): value is Constructor {
  return typeof value === 'function' && ownMetadata(value)?.controller !== undefined;
}

function failed(file: string, error: unknown): DiscoveryError {
  const flaw = {
    problem: `importing the file threw ${describeThrown(error)}`,
    fix: fixFor(file, error),
    cause: error,
  };
  return new DiscoveryError(file, flaw, positionIn(file, error));
}

/** The error of a decorator says on a second line what to do, which is said below. */
function describeThrown(error: unknown): string {
  const text = String(error);
  return codeOf(error) === STANDARD_DECORATOR ? text.replace(/\n.*/, '') : text;
}

function fixFor(file: string, error: unknown): string {
  if (codeOf(error) === STANDARD_DECORATOR) return EXPERIMENTAL_FIX;
  const early = error instanceof ReferenceError ? TOO_EARLY.exec(error.message)?.[1] : undefined;
  if (early !== undefined) {
    return `end the import cycle, or declare ${early} above its use; a parameter of a constructor may be @Inject(lazy(() => ${early})) with the type Lazy<${early}>.`;
  }
  const isSyntax = error instanceof SyntaxError || TYPESCRIPT_CODES.has(codeOf(error));
  return /ts$/.test(file) && isSyntax
    ? 'point root at compiled JavaScript, or start node with a loader that compiles decorators.'
    : 'correct the file, or add it to exclude.';
}

/** The line, and the column where it is known, at which a stack first names a file. */
function positionIn(file: string, error: unknown): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const [, after = ''] = stack.replaceAll(pathToFileURL(file).href, file).split(`${file}:`);
  return /^\d+(?::\d+)?/.exec(after)?.[0];
}

function stalled(file: string): DiscoveryError {
  return new DiscoveryError(file, {
    problem:
      'importing the file cannot finish, because it waits for a module that waits for this start.',
    fix: 'move what it imports from there to a file of its own, or add it to exclude.',
  });
}

/** Says that the event loop ran empty while modules were being imported. */
class StalledImport extends Error {}

/**
 * Watches for the moment at which the process has nothing left to do.
 *
 * Modules that wait for each other keep no process alive: node would end it without a word.
 */
export function watchIdle(): { readonly idle: Promise<never>; readonly stop: () => void } {
  let onIdle = (): void => {};
  const idle = new Promise<never>((_resolve, reject) => {
    // The immediate keeps the process alive until those who wait have been told.
    onIdle = () => void setImmediate(reject, new StalledImport());
  });
  idle.catch(() => {});
  process.once('beforeExit', onIdle);
  return { idle, stop: () => process.removeListener('beforeExit', onIdle) };
}
