import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SetupError } from '@fairlead/core';
import { InjectionError } from '@fairlead/di';
import {
  explainEarlyAccess,
  filePath,
  framesOf,
  isAnonymous,
  nearestName,
} from '@fairlead/options';
import { ControllerError, codeOf, DiscoveryError, describeLocation, listNames } from '../errors.js';
import { lineage } from '../metadata/class-metadata.js';

/** Returns the runner of vitest 4 and newer, which imports modules into the graph of its tests. */
function vitestRunner() {
  const host: typeof globalThis & {
    readonly __vitest_mocker__?: { moduleRunner?: { import?(url: string): Promise<object> } };
  } = globalThis;
  return host.__vitest_mocker__?.moduleRunner;
}

// vitest leaves installed packages to Node.js, where `import()` would load a second copy of the tests' modules,
// without vitest's compiler. So this asks vitest's runner.
export function importModule(file: string): Promise<object> {
  const url = pathToFileURL(file).href;
  return vitestRunner()?.import?.(url) ?? import(url);
}

/** Defined where vitest has compiled this package and its `import()`. */
declare const __vite_ssr_dynamic_import__: unknown;

/** @throws {DiscoveryError} 500, with the setting that vitest needs, if Node.js imported a TypeScript file instead. */
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

/** Creates the error for files that cannot be imported. A module that several of them import fails all of them. */
export async function importError(
  files: readonly string[],
  cause: unknown,
): Promise<DiscoveryError> {
  const [first = ''] = files;
  const fault = findFault(files, cause);
  const isItself = files.length === 1 && (fault === undefined || fault.file === first);
  const subject = isItself ? 'the file' : listNames(files.map((file) => describeLocation(file)));
  // Errors of these packages already contain a fix, and those of decorators a location.
  const [thrown = '', fix = await importFix(fault?.file ?? first, cause, fault)] =
    String(cause).split('\n  Fix: ');
  const text = thrown.replace(/\n(?:Did you mean to import| {2}At:) .*/, '');
  const problem = `importing ${subject} threw ${text}`;
  const [, location = describeLocation(fault?.file ?? first, fault?.position)] =
    /\n {2}At: (.*)/.exec(thrown) ?? [];
  return new DiscoveryError(first, { problem, fix, cause }, location);
}

/** Merges errors of files that import the same failed module. */
export async function mergeImportErrors(
  errors: readonly DiscoveryError[],
): Promise<readonly DiscoveryError[]> {
  const byCause = new Map<unknown, DiscoveryError[]>();
  for (const error of errors) {
    // Only objects can be known to be the same error.
    const key = typeof error.cause === 'object' && error.cause !== null ? error.cause : error;
    byCause.set(key, [...(byCause.get(key) ?? []), error]);
  }
  const merged = [...byCause].map(([cause, same]) => {
    const files = same.map(({ file }) => file);
    return files.length === 1 ? same : importError(files, cause);
  });
  return (await Promise.all(merged)).flat();
}

/** The base classes of the errors that core, di and this package throw for mistakes in a program. */
const FRAMEWORK_ERRORS = [SetupError, InjectionError, ControllerError];

const FRAMEWORK_NAMES: ReadonlySet<string> = new Set(FRAMEWORK_ERRORS.map(({ name }) => name));

/** Whether core, di or this package threw an error. Also recognizes errors of another copy of them. */
export function isFrameworkError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return lineage(error).some((level) => FRAMEWORK_NAMES.has(level.constructor.name));
}

/** Where importing a file failed. */
interface Fault {
  readonly file: string;
  /** Line, or line and column, if known. */
  readonly position?: string;
}

/** The function that imports a file, as stacks show it. */
const IMPORTER = 'importFile';

/** The first line of the stack of a syntax error, if Node.js knows where it is. */
const HEADING = /^(file:.+|\/.+|[A-Za-z]:\\.+):(\d+)$/;

/** What Node's messages say about a module that it cannot load. */
const NAMED_FILE = /(?: imported from |^Unknown file extension "\.\w+" for )(.+?)$/m;

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
  if (named !== undefined) return { file: named };
  return INVALID_TOKEN.test(message) ? findDecorator(files[0]) : undefined;
}

/** What V8 says about the @ of a decorator, which begins no token. It does not say in which module. */
const INVALID_TOKEN = /Invalid or unexpected token$/;

/** Finds a decorator in a module, or in those that it imports by relative paths. */
function findDecorator(file = '', seen = new Set<string>()): Fault | undefined {
  if (seen.has(file) || !statSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
  seen.add(file);
  const source = readFileSync(file, 'utf8');
  const start = source.search(DECORATOR);
  if (start >= 0) return { file, position: `${source.slice(0, start).split('\n').length}` };
  const imports = [...source.matchAll(/\b(?:from|import)\s*['"](\.{1,2}\/.+?)['"]/g)];
  const faults = imports.map(([, path = '']) => findDecorator(join(dirname(file), path), seen));
  return faults.find((fault) => fault !== undefined);
}

const DECORATOR = /^[ \t]*@[A-Za-z_$]/m;

const COMPILE =
  'build with tsc or swc and point root at the output, or start Node.js with a loader that compiles decorators, such as `node --import @oxc-node/core/register`.';

const WITHOUT_DECORATORS = `${COMPILE} Without a compiler, write controllers with defineController(), and list the dependencies of services in static inject.`;

const STALE = 'If the file is stale build output, delete the output directory and build again.';

/** What the codes and messages of Node.js, V8 and loaders mean, in the order in which they are compared. */
const FIXES: readonly [
  text: RegExp,
  fix: (file: string, one: string, two: string) => Promise<string> | string | undefined,
][] = [
  [
    /Cannot find package '([^']+)' imported from /,
    (_file, name) => `install ${name}, or correct the import.`,
  ],
  [/Cannot find module '(.+?)' imported from /, missingFix],
  [/The requested module '(.+)' does not provide an export named '(.+)'$/, exportFix],
  [/^ERR_NO_TYPESCRIPT |Unknown file extension "\.\w*ts"/, () => COMPILE],
  [INVALID_TOKEN, decoratorFix],
  [
    /^ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX /,
    (file) =>
      decoratorFix(file) ??
      `${COMPILE} Without a compiler, rewrite the code: "erasableSyntaxOnly" in tsconfig.json reports what Node.js does not run.`,
  ],
  // The message of oxc's loader names the setting among other text.
  [
    /experimentalDecorators/,
    () =>
      'set "experimentalDecorators" and "emitDecoratorMetadata" to true in the tsconfig.json that includes the file. If they are, the loader cannot read it, or what it extends: run npx tsc --noEmit.',
  ],
];

async function importFix(file: string, error: unknown, fault: Fault | undefined): Promise<string> {
  const text = error instanceof Error ? `${codeOf(error)} ${error.message}` : '';
  const early = error instanceof Error ? explainEarlyAccess(error.message) : undefined;
  if (early !== undefined) return early;
  for (const [pattern, fix] of FIXES) {
    const [found, one = '', two = ''] = pattern.exec(text) ?? [];
    const fixed = found === undefined ? undefined : await fix(file, one, two);
    if (fixed !== undefined) return fixed;
  }
  if (!(error instanceof SyntaxError)) return 'correct the file, or add it to exclude.';
  if (fault?.position !== undefined || !/js$/.test(file)) return 'correct the syntax.';
  return `correct the syntax of the file, or of a module that it imports. \`node --check ${describeLocation(file)}\` shows the line.`;
}

function decoratorFix(file: string): string | undefined {
  return DECORATOR.test(readFileSync(file, 'utf8')) ? WITHOUT_DECORATORS : undefined;
}

/** Names of other frameworks whose most similar export here means something else. */
const ALIASES: ReadonlyMap<string, string> = new Map([['Injectable', 'Service']]);

/** @param module - The specifier of the import in `file`. */
async function exportFix(file: string, module: string, name: string): Promise<string> {
  if (/^(?:[./#]|file:)/.test(module)) {
    return `export ${name} from '${module}', or import it with \`import type\` if it is a type. ${STALE}`;
  }
  const names = await exportsOf(file, module);
  const alias = names.find((one) => one === ALIASES.get(name));
  const known = alias ?? nearestName(name, names) ?? `a name that '${module}' exports`;
  return `import ${known}, or import ${name} with \`import type\` if it is a type.`;
}

/** Returns the names that a package exports; none if it cannot be imported. */
async function exportsOf(file: string, name: string): Promise<readonly string[]> {
  try {
    const { createRequire } = process.getBuiltinModule('node:module');
    return Object.keys(await importModule(createRequire(file).resolve(name)));
  } catch {
    return [];
  }
}

/** @param missing - Absolute path of the module that `file` imports. */
function missingFix(file: string, missing: string): string {
  // A compiler or a loader would also accept the other names.
  const found = [missing + extname(file), missing.replace(/js$/, 'ts')].find(existsSync);
  if (found !== undefined) return `import it with its file extension: '${basename(found)}'.`;
  return /js$/.test(file) ? `correct the import. ${STALE}` : 'correct the import.';
}
