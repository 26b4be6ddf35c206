import { subscribe } from 'node:diagnostics_channel';
import { describeStartError, type Variable } from '@fairlead/serve';
import type { Command } from 'commander';
import { chainsOf } from '../access/chains.js';
import { compare, type Difference } from '../access/compare.js';
import { builtInOf, LOCK_FILE, lockOf, readLock } from '../access/lock.js';
import { acceptModule, withApplication } from '../application.js';
import { UsageError } from '../errors.js';
import { count, formatTable, print, printError, printJson, style } from '../output.js';

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
      '--json',
      'print { routes, problems, warnings }, access if there is a lock, and variables with --env',
    )
    .action(check);
}

async function check(
  module: string | undefined,
  options: { json?: true; strict?: true; env?: true; lockFile?: string },
): Promise<void> {
  const { json, strict, env, lockFile } = options;
  const file = lockFile ?? LOCK_FILE;
  const lock = await readLock(file, lockFile !== undefined);
  const warnings = printWarnings();
  let problems: readonly unknown[] = [];
  let routes = 0;
  let differences: readonly Difference[] = [];
  let failure: unknown;
  try {
    routes = await withApplication(module, async (app) => {
      app.seal();
      if (lock !== undefined) {
        const chains = await chainsOf(app);
        differences = compare(lock, lockOf(chains), builtInOf(chains));
      }
      return app.routes().length;
    });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    failure = error;
    problems = problemsOf(error);
  }
  const configs = env ? definedConfigs() : [];
  if (env && !json) print(describeVariables(configs));
  const known = new Set(problems.map((problem) => describeProblem(problem).message));
  // The application for commands has other variables than those of the environment.
  const invalid = configs
    .flatMap((config) => config.problems())
    .filter((problem) => !known.has(describeProblem(problem).message));
  problems = [...problems, ...invalid];
  const isWrong =
    problems.length > 0 || differences.length > 0 || (strict === true && warnings.length > 0);
  if (isWrong) process.exitCode = 1;
  if (json) {
    const access = lock !== undefined && problems.length === 0 && { access: differences };
    const variables = configs.flatMap(variablesOf);
    const report = { routes, problems: problems.map(describeProblem), warnings };
    printJson({ ...report, ...access, ...(env && { variables }) });
  } else if (problems.length > 0) {
    const failures = failure === undefined ? invalid : [failure, ...invalid];
    printError(failures.map(describeStartError).join('\n\n'));
  } else if (differences.length > 0) printError(describeDifferences(file, differences));
  else {
    const rest =
      warnings.length === 0 ? 'no problems' : `no problems, ${count(warnings.length, 'warning')}`;
    print(style(isWrong ? 'red' : 'green', `${count(routes, 'route')}, ${rest}.`));
  }
}

/** A configuration that `defineConfig()` of any copy of `@fairlead/serve` has recorded. */
interface DefinedConfig {
  location(): string | undefined;
  variables(): readonly Variable[];
  problems(): readonly Error[];
}

/** Returns the configurations that the modules of the application define. A module may run twice. */
function definedConfigs(): readonly DefinedConfig[] {
  const configs: { readonly defined?: Iterable<DefinedConfig> } = Object(
    Reflect.get(globalThis, Symbol.for('fairlead:configs')),
  );
  const byPlace = new Map([...(configs.defined ?? [])].map((one) => [one.location() ?? one, one]));
  return [...byPlace.values()];
}

function variablesOf(config: DefinedConfig): readonly object[] {
  return config.variables().map((variable) => ({ ...variable, location: config.location() }));
}

/** Lists variables without their values. */
function describeVariables(configs: readonly DefinedConfig[]): string {
  if (configs.length === 0) return 'The application reads no variables with defineConfig().\n';
  const rows = configs.flatMap((config) => {
    const place = config.location() ?? '';
    return config.variables().map(({ name, state, file, description = '', accepts }) => {
      const about = [...description.split('\n'), accepts ?? ''].filter(Boolean).join('; ');
      return [name, file === undefined ? state : `${state} in ${file}`, place, about];
    });
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
