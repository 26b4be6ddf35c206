import { existsSync, readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SetupError } from '@fairlead/core';
import { InjectionError } from '@fairlead/di';
import { type Frame, filePath, framesOf, isAnonymous } from '@fairlead/options';
import { ControllerError, codeOf, DiscoveryError, describeLocation, listNames } from '../errors.js';

/** Imports modules into the graph of vitest's tests. */
interface VitestRunner {
  import?(url: string): Promise<object>;
}

/** Returns the runner of vitest 4 and newer. */
function vitestRunner(): VitestRunner | undefined {
  const host: { readonly __vitest_mocker__?: { readonly moduleRunner?: VitestRunner } } & object =
    globalThis;
  return host.__vitest_mocker__?.moduleRunner;
}

/**
 * Imports a file. vitest leaves installed packages to Node.js, where `import()` would load a second copy of
 * the tests' modules, without vitest's compiler. So this asks vitest's runner.
 */
export function importModule(file: string): Promise<object> {
  const url = pathToFileURL(file).href;
  return vitestRunner()?.import?.(url) ?? import(url);
}

/** Defined where vitest has compiled this package and its `import()`. */
declare const __vite_ssr_dynamic_import__: unknown;

/**
 * Checks that Node.js has not imported a TypeScript file instead of vitest.
 *
 * @param cause - The error that importing the file threw.
 * @throws {DiscoveryError} 500, with the setting that vitest needs.
 */
export function assertHostImports(file: string, cause: unknown): void {
  const isCompiled = typeof __vite_ssr_dynamic_import__ !== 'undefined';
  const isVitest = '__vitest_worker__' in globalThis;
  if (!isVitest || isCompiled || vitestRunner()?.import || !/ts$/.test(file)) return;
  throw new DiscoveryError(file, {
    problem: `Node.js imported the file instead of vitest, and threw ${String(cause)}`,
    fix: 'add `server: { deps: { inline: [/@fairlead\\//] } }` to `test` in vitest.config.ts.',
    cause,
  });
}

/**
 * Creates the error for files that cannot be imported.
 *
 * @param files - Absolute paths, at least one. A module that several files import fails all of them.
 * @param cause - The error that importing them threw.
 */
export function importError(files: readonly string[], cause: unknown): DiscoveryError {
  const [first = ''] = files;
  const fault = findFault(files, cause);
  const isItself = files.length === 1 && (fault === undefined || fault.file === first);
  const subject = isItself ? 'the file' : listNames(files.map((file) => describeLocation(file)));
  // Errors of these packages already contain a fix.
  const [thrown = '', fix = importFix(fault?.file ?? first, cause, fault)] =
    String(cause).split('\n  Fix: ');
  const problem = `importing ${subject} threw ${thrown.replace(/\nDid you mean to import .*/, '')}`;
  const location = describeLocation(fault?.file ?? first, fault?.position);
  return new DiscoveryError(first, { problem, fix, cause }, location);
}

/** Merges errors of files that import the same failed module. */
export function mergeImportErrors(errors: readonly DiscoveryError[]): DiscoveryError[] {
  const byCause = new Map<unknown, DiscoveryError[]>();
  for (const error of errors) {
    // Only objects can be known to be the same error.
    const key = typeof error.cause === 'object' && error.cause !== null ? error.cause : error;
    byCause.set(key, [...(byCause.get(key) ?? []), error]);
  }
  return [...byCause].flatMap(([cause, same]) =>
    same.length === 1
      ? same
      : importError(
          same.map(({ file }) => file),
          cause,
        ),
  );
}

/** The base classes of the errors that core, di and this package throw for mistakes in a program. */
const FRAMEWORK_ERRORS = [SetupError, InjectionError, ControllerError] as const;

const FRAMEWORK_NAMES: ReadonlySet<unknown> = new Set(FRAMEWORK_ERRORS.map(({ name }) => name));

/** Whether core, di or this package threw an error. Also recognizes errors of another copy of them. */
export function isFrameworkError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (FRAMEWORK_ERRORS.some((type) => error instanceof type)) return true;
  let prototype: unknown = Object.getPrototypeOf(error);
  while (prototype instanceof Error) {
    if (FRAMEWORK_NAMES.has(prototype.constructor.name)) return true;
    prototype = Object.getPrototypeOf(prototype);
  }
  return false;
}

/** Where importing a file failed. */
interface Fault extends Pick<Frame, 'file'> {
  /** Line, or line and column, if known. */
  readonly position?: string;
}

/** The function that imports a file, as stacks show it. */
const IMPORTER = 'importFile';

/** The first line of the stack of a syntax error, if Node.js knows where it is. */
const HEADING = /^(file:.+|\/.+|[A-Za-z]:\\.+):(\d+)$/;

/** What Node's messages say about a module that it cannot load. */
const NAMED_FILE = /(?: imported from |^Unknown file extension "\.\w+" for )(.+?)$/m;

/** Finds the module at fault: one of the files, or a module that they import. */
function findFault(files: readonly string[], error: unknown): Fault | undefined {
  const { stack = '', message = '' } = error instanceof Error ? error : {};
  const all = framesOf(stack);
  // The frames that follow are those of the program that started discovery.
  const end = all.findIndex(({ name }) => name.endsWith(IMPORTER));
  const frames = all
    .slice(0, end < 0 ? undefined : end)
    .filter(({ file }) => !/[\\/]node_modules[\\/]/.test(file));
  const frame = frames.find(({ file }) => files.includes(file)) ?? frames.find(isAnonymous);
  if (frame !== undefined) return frame;
  const [heading = ''] = stack.split('\n');
  const [, file, position] = HEADING.exec(heading) ?? [];
  if (file !== undefined && position !== undefined) return { file: filePath(file), position };
  const [, named] = NAMED_FILE.exec(message) ?? [];
  return named === undefined ? undefined : { file: named };
}

/** V8's message for a class or constant that is used before its declaration has run. */
const USED_TOO_EARLY = /^Cannot access '(.+)' before initialization$/;

/** Node's message for a module that does not exist. */
const NOT_FOUND = /^Cannot find (module|package) '(.+?)' imported from /;

/** V8's message for an import of a name that the module does not export. */
const NO_EXPORT = /^The requested module '(.+)' does not provide an export named '(.+)'$/;

/** V8's message for a character that begins no token, such as the @ of a decorator. */
const UNKNOWN_CHARACTER = 'Invalid or unexpected token';

/** A decorator at the start of a line. */
const DECORATOR = /^\s*@[A-Za-z_$]/m;

/** Node's error codes for TypeScript that it cannot run. */
const TYPESCRIPT_CODES: ReadonlySet<unknown> = new Set([
  'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX',
  'ERR_NO_TYPESCRIPT',
]);

function importFix(file: string, error: unknown, fault: Fault | undefined): string {
  const message = error instanceof Error ? error.message : '';
  const [, early] = error instanceof ReferenceError ? (USED_TOO_EARLY.exec(message) ?? []) : [];
  if (early !== undefined) {
    return `break the import cycle, or declare ${early} before its first use. For a constructor parameter, write @Inject(lazy(() => ${early})) and the type Lazy<${early}>.`;
  }
  const [, kind, missing] = NOT_FOUND.exec(message) ?? [];
  if (kind === 'package') return `install ${missing}, or correct the import.`;
  if (missing !== undefined) return missingFix(file, missing);
  const [, module, name] = NO_EXPORT.exec(message) ?? [];
  if (name !== undefined) {
    return `export ${name} from '${module}', or import it with \`import type\` if it is a type. ${STALE}`;
  }
  if (needsCompiler(file, error)) return COMPILE;
  if (message.includes('experimentalDecorators')) return SET_DECORATORS;
  if (error instanceof SyntaxError) return syntaxFix(file, fault);
  return 'correct the file, or add it to exclude.';
}

const COMPILE =
  'build with tsc or swc and point root at the output, or start Node.js with a loader that compiles decorators, such as `node --import @oxc-node/core/register`.';

/** For loaders such as oxc's, whose message names the setting among other text. */
const SET_DECORATORS =
  'set "experimentalDecorators" and "emitDecoratorMetadata" to true in the tsconfig.json that includes the file.';

const STALE = 'If the file is stale build output, delete the output directory and build again.';

/** @param missing - Absolute path of the module that `file` imports. */
function missingFix(file: string, missing: string): string {
  const extension = extname(file);
  if (existsSync(missing + extension)) {
    return `add the file extension to the import: '${basename(missing)}${extension}'.`;
  }
  return /js$/.test(file) ? `correct the import. ${STALE}` : 'correct the import.';
}

function syntaxFix(file: string, fault: Fault | undefined): string {
  if (fault?.position !== undefined || !/js$/.test(file)) return 'correct the syntax.';
  return `correct the syntax of the file, or of a module that it imports. \`node --check ${describeLocation(file)}\` shows the line.`;
}

/** Whether the file contains TypeScript or decorators, and nothing compiles them. */
function needsCompiler(file: string, error: unknown): boolean {
  const code = codeOf(error);
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION') return /ts$/.test(file);
  if (TYPESCRIPT_CODES.has(code)) return true;
  const isUnknown = error instanceof SyntaxError && error.message === UNKNOWN_CHARACTER;
  return isUnknown && DECORATOR.test(readFileSync(file, 'utf8'));
}
