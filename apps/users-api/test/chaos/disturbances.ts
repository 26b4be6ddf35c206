import type { Stage } from './clients/stage.js';
import type { Random } from './random.js';

/** How often each kind of disturbance happened. */
export interface Disturbances {
  readonly kills: number;
  readonly stops: number;
  readonly workerKills: number;
  readonly crashes: number;
}

type Kind = keyof Disturbances;

/** Kills, stops and starts what the clients talk to. */
export class Disturber {
  readonly counts: { -readonly [K in Kind]: number } = {
    kills: 0,
    stops: 0,
    workerKills: 0,
    crashes: 0,
  };
  readonly #stage: Stage;
  readonly #writes: number;
  readonly #random: Random;
  readonly #kinds: readonly (() => Promise<void>)[];
  #queue: (() => Promise<void>)[] = [];

  /**
   * @param stage - What the clients share.
   * @param hasWorkers - Whether a service has several workers.
   * @param writes - Writes that are acknowledged between two disturbances, at most.
   * @param random - Decides what happens next.
   */
  constructor(stage: Stage, hasWorkers: boolean, writes: number, random: Random) {
    this.#stage = stage;
    this.#writes = writes;
    this.#random = random;
    this.#kinds = [
      () => this.#end(['kill']),
      () => this.#end(['stop']),
      ...(stage.fleet.size > 1 ? [() => this.#end(['kill', 'stop'])] : []),
      ...(hasWorkers ? [() => this.#killWorker()] : []),
      ...(stage.database === undefined ? [] : [() => this.#crash()]),
    ];
  }

  /** Lets the clients work for a while, disturbs them once, and waits until all is up again. */
  async round(): Promise<void> {
    await this.#stage.tally.grown(
      'acknowledged',
      this.#random.integer(this.#writes / 10, this.#writes),
    );
    if (this.#queue.length === 0) this.#queue = shuffled(this.#kinds, this.#random);
    await this.#queue.pop()?.();
  }

  /** Ends as many services as there are ways, and starts each again. */
  async #end(ways: readonly ('kill' | 'stop')[]): Promise<void> {
    const { fleet } = this.#stage;
    const first = this.#random.integer(0, fleet.size);
    const ends = ways.map(async (way, index) => {
      const slot = (first + index) % fleet.size;
      this.counts[`${way}s`] += 1;
      await fleet.at(slot)[way]();
      await fleet.start(slot);
    });
    await Promise.all(ends);
  }

  async #killWorker(): Promise<void> {
    const { fleet } = this.#stage;
    this.counts.workerKills += 1;
    await fleet.at(this.#random.integer(0, fleet.size)).killWorker();
  }

  /** Kills the database, and starts it once a client has been told that it is away. */
  async #crash(): Promise<void> {
    const { database, tally } = this.#stage;
    if (database === undefined) return;
    this.counts.crashes += 1;
    const told = tally.grown('unavailable', 1);
    const restart = await database.crash();
    await told;
    await restart();
  }
}

function shuffled<T>(values: readonly T[], random: Random): T[] {
  return values
    .map((value) => ({ value, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value);
}
