import { writeFile } from 'node:fs/promises';
import { escapeLine } from '@fairlead/options';
import type { Command } from 'commander';
import { type Chain, chainsOf, describeBelow, describeNeeds } from '../access/chains.js';
import { builtInOf, formatLock, LOCK_FILE, lockOf } from '../access/lock.js';
import { acceptModule, withApplication } from '../application.js';
import { UsageError } from '../errors.js';
import { count, formatTable, print, printJson, refuseFile, style } from '../output.js';

export function addAccess(program: Command): void {
  const command = program
    .command('access')
    .summary('show who may call which routes')
    .description(
      'Lists what runs before each route: middleware, guards, and what they demand. With --lock, records it, so that fairlead check fails when it changes.',
    );
  acceptModule(command)
    .option('--lock', `write ${LOCK_FILE}`)
    .option('--lock-file <file>', 'write another file with --lock', LOCK_FILE)
    .option('--json', 'print an array of objects')
    .action(access);
}

interface AccessOptions {
  readonly lock?: true;
  readonly lockFile: string;
  readonly json?: true;
}

async function access(
  module: string | undefined,
  { lock, lockFile, json }: AccessOptions,
): Promise<void> {
  if (!lock && lockFile !== LOCK_FILE) {
    throw new UsageError('--lock-file names the file of --lock. Pass both.');
  }
  const chains = await withApplication(module, async (app) => {
    app.seal();
    return chainsOf(app);
  });
  if (lock) {
    const text = formatLock(lockOf(chains), builtInOf(chains));
    await writeFile(lockFile, text).catch((error: NodeJS.ErrnoException) =>
      refuseFile(error, lockFile),
    );
    print(`Wrote ${lockFile}: ${count(chains.length, 'route')}.`);
  } else if (json)
    printJson(chains.map(({ isBuiltIn: _isBuiltIn, rules: _rules, ...chain }) => chain));
  else print(chains.length === 0 ? 'The application has no routes.' : formatChains(chains));
}

function formatChains(chains: readonly Chain[]): string {
  return chains.map(formatChain).join('\n\n');
}

function formatChain({ route, public: reason, steps, at }: Chain): string {
  const title = `${style('bold', escapeLine(route))}${at === undefined ? '' : `  ${at}`}`;
  const lines = steps.map(({ kind, name, below, needs, limit = '', at: place = '' }) => [
    kind,
    name + describeBelow(below),
    describeNeeds(needs) || limit,
    place,
  ]);
  const [, ...rows] = formatTable(['', '', '', ''], lines).split('\n');
  const isGuarded = steps.some(
    ({ below, needs }) => below === undefined && needs.every((way) => way.length > 0),
  );
  if (!isGuarded)
    rows.push(reason === undefined ? 'nothing decides who may call it' : `public: ${reason}`);
  return [title, ...rows.map((row) => `  ${escapeLine(row)}`)].join('\n');
}
