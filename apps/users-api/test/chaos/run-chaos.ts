import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from './clients/client.js';
import { type Board, contend } from './clients/contended.js';
import { workExclusively } from './clients/exclusive.js';
import { raceDeletes } from './clients/racing.js';
import { audit, read } from './clients/reading.js';
import type { Stage } from './clients/stage.js';
import { type Disturbances, Disturber } from './disturbances.js';
import { Database } from './fleet/database.js';
import { Fleet } from './fleet/fleet.js';
import { Violation } from './model/violation.js';
import { World } from './model/world.js';
import { Random } from './random.js';
import { type Counts, Tally } from './tally.js';

/** Milliseconds that a service may take to shut down. A loaded machine needs several seconds. */
const SHUTDOWN_TIMEOUT = '60000';

/** Options of {@link runChaos}. */
export interface ChaosOptions {
  readonly store: 'sqlite' | 'postgres';
  /** The number of services that share the store. */
  readonly processes: number;
  /** The number of initial users, which no client changes. More than 500 make a list a stream. */
  readonly population: number;
  /** The maximum number of acknowledged writes between two disturbances. */
  readonly writes: number;
  /** Determines the requests and the disturbances, but not their timing. */
  readonly seed: number;
  /** Whether to play another round after this many. */
  goesOn(rounds: number): boolean;
  /** Called after each round. */
  onRound?(report: ChaosReport): void;
}

/** What happened during a run. */
export interface ChaosReport extends Counts, Disturbances {
  readonly rounds: number;
}

/**
 * Runs clients against services that are repeatedly killed and stopped. Checks every response
 * against a model of every user.
 *
 * @param options - The setup and length of the run.
 * @returns A report, if every response was correct and no acknowledged write was lost.
 * @throws {Violation} At the first wrong response, with the history of the user concerned.
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const folder = mkdtempSync(join(tmpdir(), 'users-api-chaos-'));
  const database = options.store === 'postgres' ? await Database.start() : undefined;
  const fleet = new Fleet(options.processes, {
    DATABASE_URL: database?.url ?? `sqlite:${join(folder, 'users.db')}`,
    NODE_ENV: 'production',
    SHUTDOWN_TIMEOUT,
  });
  try {
    await fleet.startAll();
    // Only PostgreSQL lets two processes create users at the same time.
    const world = new World(options.store !== 'postgres');
    const stage = { fleet, database, world, tally: new Tally() };
    const report = await play(stage, options);
    await fleet.stopAll();
    return report;
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    throw new Violation(`With seed ${options.seed}: ${error.message}`, { cause: error });
  } finally {
    await fleet.killAll();
    await database?.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function play(stage: Stage, options: ChaosOptions): Promise<ChaosReport> {
  const random = new Random(options.seed);
  const disturber = new Disturber(stage, options.writes, random.fork());
  let rounds = 0;
  let isOver = false;
  await populate(new Client('founder', stage, random.fork()), options.population);
  const report = () => ({ rounds, ...stage.tally.counts, ...disturber.counts });
  const clients = work(stage, random, () => isOver);
  const disturb = async () => {
    while (options.goesOn(rounds)) {
      await disturber.round();
      rounds += 1;
      options.onRound?.(report());
    }
    isOver = true;
  };
  await Promise.all([disturb(), ...clients]);
  await audit(new Client('auditor', stage, random.fork()));
  return report();
}

/** Creates users in batches of 50. */
async function populate(client: Client, count: number): Promise<void> {
  for (let created = 0; created < count; created += 50) {
    await Promise.all(Array.from({ length: Math.min(50, count - created) }, () => client.create()));
  }
}

/** Starts every client. Each works until the run is over. */
function work(stage: Stage, random: Random, isOver: () => boolean): Promise<void>[] {
  const client = (name: string) => new Client(name, stage, random.fork());
  const board: Board = [];
  const takeOrphan = () => stage.world.takeOrphan();
  return [
    ...['ada', 'grace', 'mary', 'joan'].map((name) => workExclusively(client(name), isOver)),
    ...['alan', 'john', 'tony'].map((name) => contend(client(name), board, isOver)),
    raceDeletes(client('racer'), takeOrphan, isOver),
    read(client('reader'), isOver),
  ];
}
