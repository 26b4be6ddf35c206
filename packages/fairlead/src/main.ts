#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { describeStartError } from '@fairlead/serve';
import { Command, CommanderError } from 'commander';
import { restartWith } from './application.js';
import { addAccess } from './commands/access.js';
import { addCheck } from './commands/check.js';
import { addClient } from './commands/client.js';
import { addDoctor, isNodeTooOld } from './commands/doctor.js';
import { addExplain } from './commands/explain.js';
import { addFetch } from './commands/fetch.js';
import { addNew } from './commands/new.js';
import { addOpenapi } from './commands/openapi.js';
import { addRoutes } from './commands/routes.js';
import { addUpgrade } from './commands/upgrade.js';
import { LoadError, UsageError } from './errors.js';
import { print, printError } from './output.js';

/** Exit codes. */
const [PROBLEMS, INVALID_USAGE] = [1, 2];

const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string };

const program = new Command('fairlead')
  .description('Lists, explains, checks and calls the routes of a Fairlead application.')
  .version(version, '-v, --version', 'print the version')
  .helpOption('-h, --help', 'print this help')
  .helpCommand(false)
  .exitOverride()
  .configureOutput({
    writeOut: (text) => print(text.replace(/\n$/, '')),
    writeErr: (text) => printError(text.replace(/\n$/, '')),
    outputError: (text, write) => write(text.replace(/^error: /, 'fairlead: ')),
  })
  .hook('preAction', (_program, action) => {
    if (isNodeTooOld && action.name() !== 'doctor') {
      throw new LoadError(
        `Fairlead needs Node.js 22.16 or newer: this is ${process.versions.node}.`,
      );
    }
    // To watch files, it starts other processes.
    const { watch, import: loaders } = action.opts();
    if (watch !== true) restartWith(loaders);
  })
  .addHelpText(
    'after',
    `
Commands with [module] create the application without a port: the module exports createOfflineApp(), or
another function create…() without parameters. By default it is src/app.ts, src/app.js or dist/app.js.

Exit codes: 0 if all is well, 1 if there are problems, 2 if the command line is wrong.`,
  );
for (const add of [
  addRoutes,
  addExplain,
  addCheck,
  addAccess,
  addFetch,
  addOpenapi,
  addClient,
  addNew,
  addDoctor,
  addUpgrade,
])
  add(program);

// `fairlead routes | head` closes the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});
process.setSourceMapsEnabled(true);
try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}
await Promise.all(
  [process.stdout, process.stderr].map(
    (stream) => new Promise((resolve) => stream.write('', resolve)),
  ),
);
// What the application has left open, such as a timer, must not keep the process running.
process.exit();

/** Prints an error. Returns the exit code. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : INVALID_USAGE;
  if (error instanceof UsageError) {
    printError(`fairlead: ${error.message}`);
    return INVALID_USAGE;
  }
  printError(error instanceof LoadError ? error.message : describeStartError(error));
  return PROBLEMS;
}
