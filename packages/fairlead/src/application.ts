import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Application } from '@fairlead/core';
import {
  describeFile,
  describeValue,
  explainEarlyAccess,
  explainOneCopy,
  framesOf,
  hasMethods,
} from '@fairlead/options';
import { describeStartError } from '@fairlead/serve';
import type { Command } from 'commander';
import { LoadError, UsageError } from './errors.js';
import { printError } from './output.js';
import { checkManifest, projectOf, readSources } from './project.js';
import { readTsconfig } from './tsconfig.js';

/** The modules that may create the application, in the order in which they are looked for. */
const MODULES = ['src/app.ts', 'src/app.js', 'dist/app.js'];

const LOADER = '@oxc-node/core/register';

/** The function that creates the application for tools. */
const OFFLINE = 'createOfflineApp';

/** Adds the argument and the option of commands that create the application. The argument is the last one. */
export function acceptModule(
  command: Command,
  argument = '[module]',
  description = 'module that creates the application',
): Command {
  return command
    .argument(argument, `${description} (default: ${MODULES.join(', ')})`)
    .option(
      '--import <loader>',
      `module to load first, such as ${LOADER}; may be repeated`,
      (loader: string, loaders: readonly string[] = []) => [...loaders, loader],
    );
}

/**
 * Checks the configuration that Node.js and loaders read.
 *
 * @throws {UsageError} When the package.json of the project, or the tsconfig.json of a loader, cannot be read.
 */
export function checkConfiguration(loaders: readonly string[] = []): void {
  // Node.js reads it before it imports anything, and fails with a stack.
  checkManifest(resolve('package.json'));
  // Loaders ignore one that they cannot read.
  if (loaders.length > 0) readTsconfig();
}

/**
 * Runs this program again if it has to load modules first, and exits.
 *
 * @param loaders - Names of packages, or paths that start with a dot, as for `node --import`.
 * @throws {UsageError} When a loader does not exist.
 */
export function restartWith(loaders: readonly string[] = []): void {
  if (loaders.every((loader) => process.execArgv.includes(loader))) return;
  const args = [...nodeArguments(loaders), ...process.argv.slice(2)];
  const { status, error } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (error !== undefined) throw error;
  process.exit(status ?? 1);
}

/**
 * Returns the arguments of Node.js that run this program with modules to load first.
 *
 * @throws {UsageError} When a loader does not exist.
 */
export function nodeArguments(loaders: readonly string[]): readonly string[] {
  const missing = loaders.filter((loader) => !process.execArgv.includes(loader));
  for (const loader of missing) assertExists(loader);
  const imports = missing.flatMap((loader) => ['--import', loader]);
  return [...process.execArgv, ...imports, process.argv[1] ?? ''];
}

function assertExists(loader: string): void {
  try {
    createRequire(resolve('package.json')).resolve(loader);
  } catch (error) {
    // A package may export the module to import() only.
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') return;
    const [, name] = /^((?:@[^/]+\/)?[^./][^/]*)/.exec(loader) ?? [];
    const fix = name === undefined ? 'Correct the path' : `Run npm install --save-dev ${name}`;
    throw new UsageError(`Cannot find the module '${loader}' of --import. ${fix}.`);
  }
}

/**
 * Creates the application, and closes it after use.
 *
 * @param given - Path of the module that creates it; one of {@link MODULES} by default.
 * @throws {UsageError} When there is no such module, or it exports no application.
 * @throws {LoadError} When Node.js cannot run the module.
 * @throws The errors of the module.
 */
export async function withApplication<T>(
  given: string | undefined,
  use: (app: Application) => Promise<T> | T,
): Promise<T> {
  const file = findModule(given);
  const app = await untilExit(file, async () => create(file, await load(file)));
  let result: T;
  try {
    result = await use(app);
  } catch (error) {
    // It may fail because the application has never started. The first error matters more.
    await app.close().catch((failure) => printError(`${describeStartError(failure)}\n`));
    throw error;
  }
  await app.close();
  return result;
}

/** The exit code of Node.js if nothing is left that could resolve what a module awaits. */
const UNSETTLED = 13;

/** Creates an application. If its module ends the process without an error, that is a failure of the command. */
async function untilExit<T>(file: string, run: () => Promise<T>): Promise<T> {
  const onExit = (code: number) => {
    if (code !== 0 && code !== UNSETTLED) return;
    const text =
      code === 0
        ? `it ends the process. Export ${OFFLINE}() from a module that does not call process.exit().`
        : `what it awaits never happens. Export a function ${OFFLINE}() that awaits nothing outside of the process.`;
    printError(`fairlead: Cannot create the application of ${describeFile(file)}: ${text}`);
    process.exitCode = 1;
  };
  process.once('exit', onExit);
  try {
    return await run();
  } finally {
    process.off('exit', onExit);
  }
}

/**
 * Returns the absolute path of a module.
 *
 * @throws {UsageError} When there is no such module.
 */
export function findModule(given: string | undefined): string {
  const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  const found = (given === undefined ? MODULES : [given]).find(isFile);
  if (found !== undefined) return resolve(found);
  if (given === undefined && projectOf(resolve('package.json')) === undefined) {
    throw new UsageError(
      `There is no project in ${process.cwd()}. Run fairlead in the folder with the package.json of your application.`,
    );
  }
  const missing = given === undefined ? 'src/app.ts, src/app.js or dist/app.js' : `file ${given}`;
  throw new UsageError(
    `There is no ${missing} in ${process.cwd()}. Pass the path of the module that creates the application, such as src/main.ts.`,
  );
}

async function load(file: string): Promise<Readonly<Record<string, unknown>>> {
  checkManifest(file);
  try {
    return await import(pathToFileURL(file).href);
  } catch (error) {
    const [reason, fix] =
      configurationFault(error) ?? cycleFault(error) ?? loaderFault(error, file);
    if (reason === undefined) throw error;
    const text = `Cannot load ${describeFile(file)}: ${reason}\n  Fix: ${fix}`;
    throw new LoadError(text, { cause: error });
  }
}

/** A reason, and its fix. */
type Fault = readonly [reason: string, fix: string];

/** Explains an error of a file that configures Node.js or a loader. */
function configurationFault(error: unknown): Fault | undefined {
  const { code, message = '' } = Object(error) as NodeJS.ErrnoException;
  if (code === 'ERR_INVALID_PACKAGE_CONFIG') {
    return [message, 'install the packages again, or correct that file.'];
  }
  // The message of oxc's loader names the setting among other text.
  const [, url] = /^Failed to transform (file:\S+): /.exec(message) ?? [];
  if (url === undefined || !message.includes('experimentalDecorators')) return undefined;
  return [
    `${describeFile(fileURLToPath(url))} has decorators, which the compiler options do not allow.`,
    'set experimentalDecorators and emitDecoratorMetadata to true in the tsconfig.json that includes the file.',
  ];
}

/** Explains an error of a module that a cycle of imports has run too early. */
function cycleFault(error: unknown): Fault | undefined {
  if (!(error instanceof ReferenceError)) return undefined;
  const { message, stack = '' } = error;
  const fix = explainEarlyAccess(message);
  const place = framesOf(stack).find(({ file }) => !/[\\/]node_modules[\\/]/.test(file));
  const at = place === undefined ? '' : `\n  At: ${describeFile(place.file)}:${place.position}`;
  return fix === undefined ? undefined : [`${message}.${at}`, fix];
}

/** Explains an error of a module that Node.js runs only with a loader. */
function loaderFault(error: unknown, file: string): Fault | readonly [] {
  const [reason, fix = ''] = reasonOf(error, file);
  if (reason === undefined) return [];
  return [
    reason,
    `${fix}build the project, and pass the module in dist. Or pass a loader that compiles TypeScript: --import ${LOADER}`,
  ];
}

/** Explains what Node.js cannot do without a loader, and a fix to try first. Explains no other errors. */
function reasonOf(error: unknown, file: string): readonly [reason?: string, fix?: string] {
  const { code = '', message, url } = Object(error) as NodeJS.ErrnoException & { url?: string };
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && /"\.m?ts"/.test(message)) {
    return [`Node.js ${process.version} does not run TypeScript.`];
  }
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') return [`${message}.`];
  if (code === 'ERR_MODULE_NOT_FOUND' && url?.startsWith('file:')) {
    const path = fileURLToPath(url);
    const source = path.replace(/js$/, 'ts');
    if (source === path || !existsSync(source)) return [];
    const reason = `an import names ${describeFile(path)}, but the file is ${describeFile(source)}. Node.js does not look for it.`;
    const fix =
      'write .ts in the import, which rewriteRelativeImportExtensions in tsconfig.json allows. Or ';
    // Node.js could not run decorators, either.
    return findDecorator(dirname(file)) === undefined ? [reason, fix] : [reason];
  }
  // The @ of a decorator begins no token. The error does not name the file.
  if (!(error instanceof SyntaxError) || message !== 'Invalid or unexpected token') return [];
  const place = findDecorator(dirname(file));
  return place === undefined ? [] : [`Node.js cannot run decorators, as in ${place}.`];
}

/** Returns the first line with a decorator in the TypeScript sources of a folder. */
function findDecorator(folder: string): string | undefined {
  for (const { path, text } of readSources(folder)) {
    const index = text.split('\n').findIndex((line) => /^\s*@[A-Za-z_$]/.test(line));
    if (index >= 0 && path.endsWith('ts')) return `${describeFile(path)}:${index + 1}`;
  }
  return undefined;
}

async function create(
  file: string,
  exported: Readonly<Record<string, unknown>>,
): Promise<Application> {
  const module = describeFile(file);
  const [name, value] = choose(module, withoutInterop(exported));
  const app: unknown = typeof value === 'function' ? await value() : value;
  if (app instanceof Application) return app;
  const origin =
    typeof value === 'function' ? `${name}() of ${module} returns` : `${module} exports`;
  if (hasMethods('routes', 'seal', 'close')(app)) {
    const project = projectOf(file);
    if (project !== undefined && project !== projectOf(resolve('package.json'))) {
      throw new UsageError(
        `${module} belongs to the project in ${describeFile(project)}, which has its own packages. Run fairlead in that folder, with the path of the module from there.`,
      );
    }
    throw new UsageError(
      `${origin} an application of another copy of @fairlead/core than that of fairlead. Add fairlead to the devDependencies of the project, and ${explainOneCopy('@fairlead/core')}`,
    );
  }
  throw new UsageError(
    `${origin} ${describeValue(app)}, which is not an application. Return the result of createApp().`,
  );
}

/** Returns the exports of a module that a compiler has converted to CommonJS. For import(), they are the default. */
function withoutInterop(
  exported: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const inner: Readonly<Record<string, unknown>> = Object(exported.default);
  return inner.__esModule === true ? inner : exported;
}

/** Returns the name and the value of the export that is or creates the application. */
function choose(module: string, exported: Readonly<Record<string, unknown>>): [string, unknown] {
  for (const name of [OFFLINE, 'default']) {
    if (Object.hasOwn(exported, name)) return [name, exported[name]];
  }
  const creators = Object.entries(exported).filter(
    (entry): entry is [string, (...args: never[]) => unknown] =>
      /^create[A-Z]/.test(entry[0]) && typeof entry[1] === 'function',
  );
  const [creator, other] = creators.filter(([, create]) => create.length === 0);
  if (creator !== undefined && other === undefined) return creator;
  const [[name, { length }] = ['', { length: 0 }]] = creators;
  let reason = 'it exports no function that creates one';
  if (creator !== undefined && other !== undefined) {
    reason = `it exports several functions that may create it: ${creator[0]}() and ${other[0]}()`;
  } else if (name !== '')
    reason = `${name}() has ${length === 1 ? 'a parameter' : `${length} parameters`}`;
  throw new UsageError(
    `Cannot create the application of ${module}: ${reason}. Export a function ${OFFLINE}() without parameters, which returns the application for tools: without a port, with a stand-in for the database and a silent log.`,
  );
}

/** Returns a package that the project may have; undefined if it does not. */
export async function importOptional<Module>(
  name: string,
  load: () => Promise<Module>,
): Promise<Module | undefined> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_MODULE_NOT_FOUND' && message.includes(`'${name}'`)) return undefined;
    throw error;
  }
}

/** The module `@fairlead/openapi`. */
export type Openapi = typeof import('@fairlead/openapi');

/** Returns `@fairlead/openapi`; undefined if the project does not have it. */
export function findOpenapi(): Promise<Openapi | undefined> {
  return importOptional('@fairlead/openapi', () => import('@fairlead/openapi'));
}

/** @throws {UsageError} When the project does not have `@fairlead/openapi`. */
export async function importOpenapi(): Promise<Openapi> {
  const openapi = await findOpenapi();
  if (openapi === undefined) {
    throw new UsageError(
      'The project does not have @fairlead/openapi, which describes the routes. Run npm install @fairlead/openapi.',
    );
  }
  return openapi;
}

/** @throws {UsageError} When the project lacks a package that generates requests. */
export async function importFuzz() {
  await importOpenapi();
  const load = () => importOptional('@fairlead/testing', () => import('@fairlead/testing/fuzz'));
  // The package of tests imports it.
  const fuzz = await importOptional('fast-check', load);
  if (fuzz !== undefined) return fuzz;
  throw new UsageError(
    'The project lacks the packages that generate requests. Run npm install --save-dev @fairlead/testing fast-check.',
  );
}
