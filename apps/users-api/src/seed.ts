import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { Presets, SingleBar } from 'cli-progress';
import { ArgumentError, parse } from './arguments.js';
import { ConfigError, readConfig } from './config/config.js';
import { describeFailure } from './describe-failure.js';
import { fillStore } from './seed/fill-store.js';
import { describeStore, openStore } from './users/store/open.js';

const USAGE = `Creates sample users in the store that DATABASE_URL names.

Usage: pnpm --filter users-api seed [--count NUMBER] [--in-flight NUMBER]

  --count      number of users to create, 1 to 100000000 (default: 1000)
  --in-flight  maximum number of concurrent creates, 1 to 10000 (default: 1000)
  --help       print this help

Ctrl-C waits for the creates in flight, prints how many users were created, and exits.`;

/** Exit status of a program ended by SIGINT. */
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
    throw new ConfigError([
      'DATABASE_URL is memory:, which loses its users when this program exits. Use sqlite: or postgres:.',
    ]);
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
    console.log(`Created ${created} of ${count} users in ${describeStore(config)}.`);
  }
  return created < count ? INTERRUPTED : 0;
}

function readSeedArguments(args: readonly string[]) {
  const { values } = parse(() =>
    parseArgs({
      // pnpm passes on a `--` that precedes the arguments.
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

function readNumber(name: string, text: string, max: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= max) return number;
  throw new ArgumentError(`${name} is ${JSON.stringify(text)}. Use an integer from 1 to ${max}.`);
}

/** Displays progress. */
interface Progress {
  /** @param done - Number of completed steps. */
  update(done: number): void;
  /** Stops displaying progress. */
  stop(): void;
}

/** Shows progress on standard error, as a bar in a terminal and as a line per tenth elsewhere. */
function openProgress(count: number): Progress {
  return process.stderr.isTTY === true ? openBar(count) : openLines(count);
}

function openBar(count: number): Progress {
  const format = ' {bar} {percentage}% | {value}/{total} users | {eta_formatted} left';
  const bar = new SingleBar({ format, hideCursor: true }, Presets.shades_classic);
  bar.start(count, 0);
  return { update: (done) => bar.update(done), stop: () => bar.stop() };
}

function openLines(count: number): Progress {
  const step = Math.ceil(count / 10);
  return {
    update(done) {
      if (done % step === 0 || done === count) console.error(`${done}/${count} users`);
    },
    stop: () => undefined,
  };
}
