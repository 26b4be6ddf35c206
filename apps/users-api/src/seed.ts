import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { ArgumentError, parse } from './arguments.js';
import { readConfig } from './config/config.js';
import { ConfigError } from './config/config-error.js';
import { describeFailure } from './describe-failure.js';
import { fillStore } from './seed/fill-store.js';
import { openProgress } from './seed/progress.js';
import { describeStore, openStore } from './users/store/open.js';

const USAGE = `Fills the store of DATABASE_URL with made-up users, through the same writes as the service.

Usage: pnpm --filter users-api seed [--count NUMBER] [--in-flight NUMBER]

  --count      users to create, 1 to 100000000; default 1000
  --in-flight  creates that are under way at once, 1 to 10000; default 1000
  --help       prints this

Ctrl-C stops after the creates that are under way, and says how many users were created.`;

/** Exit status of a program that SIGINT has ended. */
const INTERRUPTED = 130;

try {
  process.exitCode = await run();
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}

async function run(): Promise<number> {
  const { count, inFlight, help } = readSeedArguments(process.argv.slice(2));
  if (help) {
    console.log(USAGE);
    return 0;
  }
  const { store: config } = readConfig(process.env);
  if (config.kind === 'memory') {
    throw new ConfigError(['DATABASE_URL is memory:, which ends with this program: give another.']);
  }
  const interrupt = new AbortController();
  void once(process, 'SIGINT').then(() => interrupt.abort());
  void once(process, 'SIGTERM').then(() => interrupt.abort());
  const store = await openStore(config);
  const progress = openProgress(count);
  let created = 0;
  const onCreated = (): void => progress.update(++created);
  try {
    await fillStore(store, { count, inFlight, signal: interrupt.signal, onCreated });
  } finally {
    progress.stop();
    await store.close();
    console.log(`${created} of ${count} users were created in ${describeStore(config)}.`);
  }
  return created < count ? INTERRUPTED : 0;
}

function readSeedArguments(args: readonly string[]) {
  const { values } = parse(() =>
    parseArgs({
      // pnpm hands on the `--` that may stand between it and the arguments.
      args: args.filter((arg) => arg !== '--'),
      options: {
        count: { type: 'string', default: '1000' },
        'in-flight': { type: 'string', default: '1000' },
        help: { type: 'boolean', default: false },
      },
    }),
  );
  return {
    count: readNumber('--count', values.count, 100_000_000),
    inFlight: readNumber('--in-flight', values['in-flight'], 10_000),
    help: values.help,
  };
}

function readNumber(name: string, text: string, most: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= most) return number;
  throw new ArgumentError(`${name} is ${JSON.stringify(text)}: give an integer from 1 to ${most}.`);
}
