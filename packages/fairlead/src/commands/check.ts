import { subscribe } from 'node:diagnostics_channel';
import { describeStartError } from '@fairlead/serve';
import type { Command } from 'commander';
import { chainsOf } from '../access/chains.js';
import { compare, type Difference } from '../access/compare.js';
import { builtInOf, LOCK_FILE, lockOf, readLock } from '../access/lock.js';
import { acceptModule, withApplication } from '../application.js';
import { UsageError } from '../errors.js';
import { count, print, printError, printJson, style } from '../output.js';

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
    .option('--lock-file <file>', `compare access with another file than ${LOCK_FILE}`)
    .option('--json', 'print { routes, problems, warnings }, and access if there is a lock')
    .action(check);
}

async function check(
  module: string | undefined,
  { json, strict, lockFile }: { json?: true; strict?: true; lockFile?: string },
): Promise<void> {
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
  const isWrong =
    problems.length > 0 || differences.length > 0 || (strict === true && warnings.length > 0);
  if (isWrong) process.exitCode = 1;
  if (json) {
    const access = lock !== undefined && problems.length === 0 && { access: differences };
    printJson({ routes, problems: problems.map(describeProblem), warnings, ...access });
  } else if (problems.length > 0) printError(describeStartError(failure));
  else if (differences.length > 0) printError(describeDifferences(file, differences));
  else {
    const rest =
      warnings.length === 0 ? 'no problems' : `no problems, ${count(warnings.length, 'warning')}`;
    print(style(isWrong ? 'red' : 'green', `${count(routes, 'route')}, ${rest}.`));
  }
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
