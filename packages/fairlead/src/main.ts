#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import module from 'node:module';
import { inspect } from 'node:util';
import { Command, CommanderError } from 'commander';
import { addDoctor, isNodeTooOld } from './commands/doctor.js';
import { LoadError, UsageError } from './errors.js';
import { print, printError } from './output.js';

/** Exit codes. */
const [PROBLEMS, INVALID_USAGE] = [1, 2];

const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string };

// Compiling what a command imports takes a third of its time. A Node.js that is too old has no such cache, and coverage
// is less precise with it.
if (process.env.NODE_V8_COVERAGE === undefined) module.enableCompileCache?.();

// The packages that most commands import refuse to load on a Node.js that is too old.
const runtime = isNodeTooOld ? undefined : await import('./commands/all.js');

const program = new Command('fairlead')
  .description('Lists, explains, checks and calls the routes of a Fairlead application.')
  .version(version, '-v, --version', 'print the version')
  .helpOption('-h, --help', 'print this help')
  .helpCommand('help [command]', 'print the help of a command')
  .exitOverride()
  .configureOutput({
    writeOut: (text) => print(text.replace(/\n$/, '')),
    writeErr: (text) => printError(text.replace(/\n$/, '')),
    outputError: (text, write) => write(text.replace(/^error: /, 'fairlead: ')),
  })
  .hook('preAction', (_program, action) => {
    const { watch, import: loaders } = action.opts();
    runtime?.checkConfiguration(loaders);
    // To watch files, it starts other processes.
    if (watch !== true) runtime?.restartWith(loaders);
  })
  .addHelpText(
    'after',
    `
Commands with [module] create the application without a port: the module exports createOfflineApp(), or
another function create…() without parameters. By default it is src/app.ts, src/app.js or dist/app.js.

Exit codes: 0 if all is well, 1 if there are problems, 2 if the command line or the configuration is
wrong.`,
  );
for (const add of runtime?.commands ?? [addDoctor]) add(program);

// `fairlead routes | head` closes the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});
process.setSourceMapsEnabled(true);
try {
  const [, , command = '--help'] = process.argv;
  if (isNodeTooOld && !/^(?:doctor|-.*)$/.test(command)) {
    throw new LoadError(`Fairlead needs Node.js 22.16 or newer: this is ${process.versions.node}.`);
  }
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}
await Promise.all(
  [process.stdout, process.stderr].map(
    (stream) => new Promise((resolve) => stream.write('', resolve)),
  ),
);
// Node.js ends the process with an error now if the application has left a rejection unhandled.
await new Promise((resolve) => setImmediate(resolve));
// What the application has left open, such as a timer, must not keep the process running.
process.exit();

/** Prints an error. Returns the exit code. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : INVALID_USAGE;
  if (error instanceof UsageError) {
    printError(`fairlead: ${error.message}`);
    return INVALID_USAGE;
  }
  const describe = runtime?.describeStartError ?? inspect;
  printError(error instanceof LoadError ? error.message : describe(error));
  return PROBLEMS;
}
