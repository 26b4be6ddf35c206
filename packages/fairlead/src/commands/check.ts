import { subscribe } from 'node:diagnostics_channel';
import type { Application } from '@fairlead/core';
import { describeStartError } from '@fairlead/serve';
import type { Command } from 'commander';
import { acceptModule, withApplication } from '../application.js';
import { UsageError } from '../errors.js';
import { count, print, printJson, style } from '../output.js';

interface Finding {
  readonly code?: string;
  readonly message: string;
}

export function addCheck(program: Command): void {
  const command = program
    .command('check')
    .summary('run the checks of the startup')
    .description(
      'Runs every check of the startup, without a port. Prints all problems with their fixes.',
    );
  acceptModule(command)
    .option('--strict', 'fail on warnings, too')
    .option('--json', 'print { routes, problems, warnings }')
    .action(check);
}

async function check(
  module: string | undefined,
  { json, strict }: { json?: true; strict?: true },
): Promise<void> {
  const warnings: Finding[] = [];
  process.on('warning', ({ name, message, ...warning }) => {
    const { code } = warning as { code?: string };
    if (name === 'FairleadWarning') warnings.push({ ...(code && { code }), message });
  });
  // Those of controllers, which go to a logger.
  subscribe('fairlead:warning', (warning) => warnings.push(warning as Finding));
  let problems: readonly unknown[] = [];
  let routes = 0;
  let failure: unknown;
  try {
    routes = await withApplication(module, seal);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    failure = error;
    problems = problemsOf(error);
  }
  // Node.js emits warnings later.
  await new Promise((resolve) => setImmediate(resolve));
  const isWrong = problems.length > 0 || (strict === true && warnings.length > 0);
  if (isWrong) process.exitCode = 1;
  if (json) printJson({ routes, problems: problems.map(describeProblem), warnings });
  else if (problems.length > 0) console.error(describeStartError(failure));
  else {
    const rest =
      warnings.length === 0 ? 'no problems' : `no problems, ${count(warnings.length, 'warning')}`;
    print(style(isWrong ? 'red' : 'green', `${count(routes, 'route')}, ${rest}.`));
  }
}

function seal(app: Application): number {
  app.seal();
  return app.routes().length;
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
