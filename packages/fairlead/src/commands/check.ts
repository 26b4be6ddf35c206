import { subscribe } from 'node:diagnostics_channel';
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Application } from '@fairlead/core';
import { describeFile } from '@fairlead/options';
import { describeStartError, type Variable } from '@fairlead/serve';
import type { Command } from 'commander';
import { chainsOf } from '../access/chains.js';
import { compare, type Difference } from '../access/compare.js';
import { builtInOf, LOCK_FILE, lockOf, readLock, rulesOf } from '../access/lock.js';
import {
  acceptModule,
  findModule,
  findOpenapi,
  importOpenapi,
  withApplication,
} from '../application.js';
import { countChanges, formatChanges, sortChanges } from '../contract/report.js';
import {
  DOCUMENT_FILE,
  describeReview,
  documentOf,
  isMissing,
  type Review,
  reviewDocument,
} from '../contract/review.js';
import { readDocument, type Source } from '../document-source.js';
import { UsageError } from '../errors.js';
import { count, formatTable, print, printError, printJson, style } from '../output.js';
import { readSources } from '../project.js';

/** The codes of warnings that fail without `--strict`: what clients were told is not true. */
const FAILING = new Set(['FAIRLEAD_SUNSET']);

interface Finding {
  readonly code?: string;
  readonly message: string;
}

/** A warning on the diagnostics channel of controllers, which log it unless a subscriber has printed it. */
interface PublishedWarning {
  readonly message: string;
  printed: boolean;
}

export function addCheck(program: Command): void {
  const command = program
    .command('check')
    .summary('run the checks of the startup')
    .description(
      'Runs every check of the startup, without a port. Prints all problems and warnings with their fixes.',
    );
  acceptModule(command)
    .option('--strict', 'fail on warnings, too')
    .option('--env', 'list the environment variables of defineConfig(), and check them')
    .option('--lock-file <file>', `compare access with another file than ${LOCK_FILE}`)
    .option(
      '--openapi-file <file>',
      `compare the OpenAPI document with another file than ${DOCUMENT_FILE}`,
    )
    .option('-d, --document <path>', 'path of that document (default: that of the first one)')
    .option(
      '--json',
      'print { routes, problems, warnings }, access or document if they are compared, and variables with --env',
    )
    .action(check);
}

interface CheckOptions {
  readonly json?: true;
  readonly strict?: true;
  readonly env?: true;
  readonly lockFile?: string;
  readonly openapiFile?: string;
  readonly document?: string;
}

async function check(
  module: string | undefined,
  { json, strict, env, lockFile, openapiFile, document }: CheckOptions,
): Promise<void> {
  const file = lockFile ?? LOCK_FILE;
  const lock = await readLock(file, lockFile !== undefined);
  const warnings = printWarnings();
  let problems: readonly unknown[] = [];
  let routes = 0;
  let differences: readonly Difference[] = [];
  let review: Review | undefined;
  let failures: readonly unknown[] = [];
  try {
    routes = await withApplication(module, async (app) => {
      app.seal();
      if (lock !== undefined) {
        const chains = await chainsOf(app);
        differences = compare(lock, lockOf(chains), builtInOf(chains), rulesOf(chains));
      }
      review = await reviewIfPublished(app, openapiFile, document, strict);
      return app.routes().length;
    });
  } catch (error) {
    // A module of a configuration has variables, but no application.
    const isConfig = env && module !== undefined && definedConfigs().length > 0;
    if (error instanceof UsageError && !isConfig) throw error;
    if (!(error instanceof UsageError)) {
      failures = [error];
      problems = problemsOf(error);
    }
  }
  const configs = env ? definedConfigs() : [];
  if (env) warnOfVariables(configs, dirname(findModule(module)));
  if (env && !json) print(describeVariables(configs));
  const known = new Set(problems.map((problem) => describeProblem(problem).message));
  // The application for commands has other variables than those of the environment.
  const invalid = configs
    .flatMap((config) => config.problems())
    .filter((problem) => !known.has(describeProblem(problem).message));
  problems = [...problems, ...invalid];
  const reasons = [
    ...(differences.length > 0 ? [describeDifferences(file, differences)] : []),
    ...(review?.isWrong ? [describeBreaking(review, document)] : []),
  ];
  const failing = warnings.filter(({ code = '' }) => strict || FAILING.has(code));
  const isWrong = problems.length > 0 || reasons.length > 0 || failing.length > 0;
  if (isWrong) process.exitCode = 1;
  if (json) {
    const { against, changes = [] } = { ...review };
    printJson({
      routes,
      problems: problems.map(describeProblem),
      warnings,
      ...(lock !== undefined && problems.length === 0 && { access: differences }),
      ...(review !== undefined && { document: { against, changes: sortChanges(changes) } }),
      ...(env && { variables: configs.flatMap((one) => one.variables()) }),
    });
    return;
  }
  if (problems.length > 0) {
    printError([...failures, ...invalid].map(describeStartError).join('\n\n'));
    return;
  }
  if (reasons.length > 0) {
    printError(reasons.join('\n\n'));
    return;
  }
  const { changes = [] } = { ...review };
  if (changes.length > 0) print(`${formatChanges(changes)}\n`);
  const rest = [
    ...describeWarnings(warnings.length, failing.length),
    ...(review === undefined ? [] : [describeReview(review).replace(/^No/, 'no')]),
  ];
  print(style(isWrong ? 'red' : 'green', `${[count(routes, 'route'), ...rest].join(', ')}.`));
  if (review !== undefined && changes.length > 0)
    print(`To record the changes, ${describeUpdate(review, document)}.`);
}

/** Describes the warnings of a check without problems, some of which may fail it. */
function describeWarnings(number: number, failing: number): readonly string[] {
  const warnings = number === 0 ? [] : [count(number, 'warning')];
  if (failing === 0) return ['no problems', ...warnings];
  const verb = `${failing === 1 ? 'fails' : 'fail'} the check`;
  return [`${warnings[0]}${failing === number ? ' that' : `, ${failing} of which`} ${verb}`];
}

/**
 * Compares the document of an application with the file that records it.
 *
 * @param isStrict - Whether changes that may break clients fail.
 * @returns Undefined without that file, and for an application without a document. If one of them is given, that is an
 *   error.
 */
async function reviewIfPublished(
  app: Application,
  file: string | undefined,
  path: string | undefined,
  isStrict = false,
): Promise<Review | undefined> {
  const isGiven = file !== undefined || path !== undefined;
  if (!isGiven && !existsSync(DOCUMENT_FILE)) return undefined;
  const openapi = await (isGiven ? importOpenapi() : findOpenapi());
  if (openapi === undefined) return undefined;
  let present: Source;
  try {
    present = documentOf(openapi, app, path);
  } catch (error) {
    // The file may be the document of another API, for a client.
    if (!isGiven && isMissing(error)) return undefined;
    throw error;
  }
  const published = await readDocument(file ?? DOCUMENT_FILE, true);
  const [known, own] = [published, present].map(titleOf);
  if (!isGiven && known !== own) {
    // Clients may need the document of another API.
    const message = `${DOCUMENT_FILE} describes '${known}', and the application is '${own}', so they are not compared.\n  Fix: give the document of another API another name. If only the title has changed, run fairlead openapi --out ${DOCUMENT_FILE}.`;
    process.emitWarning(message, { type: 'FairleadWarning', code: 'FAIRLEAD_DOCUMENT' });
    return undefined;
  }
  return reviewDocument(published, present, isStrict ? ['breaking', 'maybe'] : ['breaking']);
}

function titleOf({ root }: Source): string {
  const { info }: { readonly info?: { readonly title?: unknown } } = Object(root);
  return String(info?.title ?? '');
}

/** A configuration that `defineConfig()` of any copy of `@fairlead/serve` has recorded. */
interface DefinedConfig {
  location(): string | undefined;
  variables(): readonly Variable[];
  problems(): readonly Error[];
  /** Older versions lack it. */
  warnings?(): readonly string[];
}

/** Returns the configurations that the modules of the application define. A module may run twice. */
function definedConfigs(): readonly DefinedConfig[] {
  const configs: { readonly defined?: Iterable<DefinedConfig> } = Object(
    Reflect.get(globalThis, Symbol.for('fairlead:configs')),
  );
  const byPlace = new Map([...(configs.defined ?? [])].map((one) => [one.location() ?? one, one]));
  return [...byPlace.values()];
}

/** Matches a folder with compiled modules, each of which may contain the same configuration. */
const COMPILED = /(?:^|[\\/])(?:dist|build|out)(?:[\\/]|$)/;

/** Prints what may be wrong with variables: misspelled names, and configurations that nothing has imported. */
function warnOfVariables(configs: readonly DefinedConfig[], folder: string): void {
  const known = new Set(configs.map((one) => one.location()?.replace(/:\d+:\d+$/, '')));
  const sources = COMPILED.test(describeFile(folder)) ? [] : readSources(folder);
  const unread = sources
    .filter(({ text }) => text.includes('@fairlead/serve') && /\bdefineConfig\(/.test(text))
    .map(({ path }) => describeFile(resolve(path)))
    .filter((path) => !known.has(path))
    .map(
      (path) =>
        `The application for commands does not import ${path}, so the variables of its defineConfig() are not checked. Import it, or run fairlead check --env ${path} if it does not start a server.`,
    );
  const misspelled = configs.flatMap((one) => one.warnings?.() ?? []);
  for (const message of new Set([...misspelled, ...unread]))
    process.emitWarning(message, { type: 'FairleadWarning', code: 'FAIRLEAD_VARIABLE' });
}

/** Lists variables without their values. */
function describeVariables(configs: readonly DefinedConfig[]): string {
  if (configs.length === 0) return 'The application reads no variables with defineConfig().\n';
  const rows = configs
    .flatMap((config) => config.variables())
    .map(({ name, state, file, location = '', description = '', accepts }) => {
      const about = [...description.split('\n'), accepts ?? ''].filter(Boolean).join('; ');
      return [name, file === undefined ? state : `${state} in ${file}`, location, about];
    });
  return `${formatTable(['VARIABLE', 'STATE', 'FILE', 'DESCRIPTION'], rows)}\n`;
}

/**
 * Prints the warnings of Fairlead on standard error, instead of Node.js and the logger of the application. Prints
 * them at once, because the startup may never end.
 *
 * @returns The warnings so far.
 */
function printWarnings(): readonly Finding[] {
  const warnings: Finding[] = [];
  const report = (warning: Finding): void => {
    const number = `  ${warnings.push(warning)}. `;
    if (warnings.length === 1) printError('The application has warnings.\n');
    const indent = ' '.repeat(number.length);
    printError(`${number}${warning.message.replaceAll('\n', `\n${indent}`)}\n`);
  };
  const { emitWarning } = process;
  process.emitWarning = (...args: readonly [warning: string | Error, ...options: unknown[]]) => {
    const [message, options] = args;
    const { type, code } = Object(options) as { readonly type?: unknown; readonly code?: string };
    if (type !== 'FairleadWarning') Reflect.apply(emitWarning, process, args);
    else report({ ...(code && { code }), message: String(message) });
  };
  subscribe('fairlead:warning', (published) => {
    const warning = published as PublishedWarning;
    warning.printed = true;
    report({ message: warning.message });
  });
  return warnings;
}

/** The sections of a comparison. */
const TITLES = [
  ['weaker', 'Access is weaker than'],
  ['changed', 'Access has changed since'],
] as const;

function describeDifferences(file: string, differences: readonly Difference[]): string {
  const sections = TITLES.flatMap(([kind, title]) => {
    const lines = differences
      .filter((one) => one.kind === kind)
      .map(({ route, message }, index) => `  ${index + 1}. ${route}: ${message}`);
    return lines.length === 0 ? [] : `${title} ${file}.\n\n${lines.join('\n')}\n`;
  });
  return `${sections.join('\n')}\nIf that is intended, run fairlead access --lock, and review the difference of ${file}.`;
}

function describeBreaking(review: Review, path: string | undefined): string {
  const lines = formatChanges(review.changes).replaceAll(/^/gm, '  ');
  return `Clients of ${review.against} may break: ${countChanges(review.changes)}.\n\n${lines}\n\nIf that is intended, ${describeUpdate(review, path)}, and review the difference of ${review.against}.`;
}

/** Describes how to record the present document. */
function describeUpdate({ against }: Review, path: string | undefined): string {
  const which = path === undefined ? '' : `--document ${path} `;
  return `run fairlead openapi ${which}--out ${against}`;
}

/** Returns the problems that an error lists, or the error itself. */
function problemsOf(error: unknown): readonly unknown[] {
  const { problems }: { readonly problems?: unknown } = Object(error);
  return Array.isArray(problems) && problems.length > 0 ? problems : [error];
}

function describeProblem(problem: unknown): Finding {
  const { code } = Object(problem) as { code?: unknown };
  const message = describeStartError(problem);
  return typeof code === 'string' ? { code, message } : { message };
}
