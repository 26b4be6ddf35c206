import type { Stage } from './clients/stage.js';
import type { Random } from './random.js';

/** How often each kind of disturbance happened. */
export interface Disturbances {
  readonly kills: number;
  readonly stops: number;
  readonly crashes: number;
}

type Kind = keyof Disturbances;

/** Kills, stops and restarts services and the database. */
export class Disturber {
  readonly counts: { -readonly [K in Kind]: number } = {
    kills: 0,
    stops: 0,
    crashes: 0,
  };
  readonly #stage: Stage;
  readonly #writes: number;
  readonly #random: Random;
  readonly #kinds: readonly (() => Promise<void>)[];
  #queue: (() => Promise<void>)[] = [];

  /**
   * @param stage - The state that all clients share.
   * @param writes - The maximum number of acknowledged writes between two disturbances.
   * @param random - Decides what happens next.
   */
  constructor(stage: Stage, writes: number, random: Random) {
    this.#stage = stage;
    this.#writes = writes;
    this.#random = random;
    this.#kinds = [
      () => this.#end(['kill']),
      () => this.#end(['stop']),
      ...(stage.fleet.size > 1 ? [() => this.#end(['kill', 'stop'])] : []),
      ...(stage.database === undefined ? [] : [() => this.#crash()]),
    ];
  }

  /** Lets the clients work, causes one disturbance and waits until everything is up again. */
  async round(): Promise<void> {
    await this.#stage.tally.grown(
      'acknowledged',
      this.#random.integer(this.#writes / 10, this.#writes),
    );
    if (this.#queue.length === 0) this.#queue = shuffled(this.#kinds, this.#random);
    await this.#queue.pop()?.();
  }

  /** Ends one service for each way and restarts it. */
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

  /** Kills the database and restarts it after a client has received a 503. */
  async #crash(): Promise<void> {
    const { database, tally } = this.#stage;
    if (database === undefined) return;
    this.counts.crashes += 1;
    const noticed = tally.grown('unavailable', 1);
    const restart = await database.crash();
    await noticed;
    await restart();
  }
}

function shuffled<T>(values: readonly T[], random: Random): T[] {
  return values
    .map((value) => ({ value, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value);
}
