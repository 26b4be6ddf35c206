import { parseArgs } from 'node:util';
import { SetupError } from '@fairlead/core';
import { ConfigError } from '@fairlead/serve';
import { Config, integer } from './config.js';
import { describeFailure } from './errors.js';
import { describeStore, openStore } from './users/store/open.js';
import type { CreateUserInput } from './users/user.js';

const USAGE = `Creates sample users in the store that DATABASE_URL names.

Usage: pnpm --filter users-api seed [--count NUMBER]

  --count  number of users to create, 1 to 100000000 (default: 1000)
  --help   print this help

Ctrl-C waits for the creates in flight, prints how many users were created, and exits.`;

/** Number of concurrent creates. Stores commit them together. */
const IN_FLIGHT = 1_000;

/** Exit status of a program ended by SIGINT. */
const INTERRUPTED = 130;

const FIRST = ['Ada', 'Alan', 'Barbara', 'Claude', 'Donald', 'Edsger', 'Frances', 'Grace'];
const LAST = ['Allen', 'Dijkstra', 'Hopper', 'Knuth', 'Liskov', 'Lovelace', 'Shannon', 'Turing'];

try {
  const { values } = parseArgs({
    // pnpm passes on a `--` that precedes the arguments.
    args: process.argv.slice(2).filter((arg) => arg !== '--'),
    options: { count: { type: 'string', default: '1000' }, help: { type: 'boolean' } },
  });
  if (values.help) console.log(USAGE);
  else process.exitCode = await seed(values.count);
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}

async function seed(text: string): Promise<number> {
  const { data: count, error } = integer(1, 100_000_000, '').safeParse(text);
  if (count === undefined) {
    throw new SetupError('ARGUMENT_INVALID', `--count ${error.issues[0]?.message}`);
  }
  const { store: config } = new Config();
  if (config.kind === 'memory') {
    throw new ConfigError([
      'DATABASE_URL is memory:, which loses its users when this program exits. Use sqlite: or postgres:.',
    ]);
  }
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interrupt.abort());
  const store = await openStore(config);
  let [started, created] = [0, 0];
  const createInTurn = async (): Promise<void> => {
    while (started < count && !interrupt.signal.aborted) {
      started += 1;
      await store.create(sampleUser(started));
      created += 1;
      if (created % Math.ceil(count / 10) === 0 || created === count) {
        console.error(`${created}/${count} users`);
      }
    }
  };
  try {
    const lanes = Array.from({ length: Math.min(IN_FLIGHT, count) }, createInTurn);
    // After a failure, no further create starts.
    for (const lane of lanes) lane.catch(() => interrupt.abort());
    await Promise.allSettled(lanes);
    await Promise.all(lanes);
  } finally {
    await store.close();
    console.log(`Created ${created} of ${count} users in ${describeStore(config)}.`);
  }
  return created < count ? INTERRUPTED : 0;
}

/** Returns the same user for the same number. The email's domain is reserved by RFC 2606 §3. */
function sampleUser(number: number): CreateUserInput {
  const first = FIRST[number % FIRST.length] ?? '';
  const last = LAST[Math.floor(number / FIRST.length) % LAST.length] ?? '';
  const email = `${first}.${last}.${number}@example.com`.toLowerCase();
  return { name: `${first} ${last}`, email };
}
