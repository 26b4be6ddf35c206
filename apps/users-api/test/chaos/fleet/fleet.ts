import type { Random } from '../random.js';
import { Service } from './service.js';

/** Services side by side on one store, each started again when it has ended. */
export class Fleet {
  readonly #env: Readonly<Record<string, string>>;
  readonly #slots: (Service | undefined)[];
  #waiting: (() => void)[] = [];
  #started = 0;

  /**
   * @param size - How many services.
   * @param env - Their environment variables.
   */
  constructor(size: number, env: Readonly<Record<string, string>>) {
    this.#env = env;
    this.#slots = new Array<Service | undefined>(size).fill(undefined);
  }

  get size(): number {
    return this.#slots.length;
  }

  /** Starts the service of a slot. */
  async start(slot: number): Promise<void> {
    this.#started += 1;
    const service = await Service.start(`service ${this.#started}`, this.#env);
    this.#slots[slot] = service;
    for (const go of this.#waiting.splice(0)) go();
  }

  async startAll(): Promise<void> {
    await Promise.all(this.#slots.map((_, slot) => this.start(slot)));
  }

  /** The service of a slot, which must have been started. */
  at(slot: number): Service {
    const service = this.#slots[slot];
    if (service === undefined) throw new Error(`No service was started in slot ${slot}.`);
    return service;
  }

  /** One of the services that take requests; waits until there is one. */
  async pick(random: Random): Promise<Service> {
    for (;;) {
      const [first, ...rest] = this.#slots.filter((service) => service?.isGone === false);
      if (first !== undefined) return random.pick([first, ...rest]) ?? first;
      await new Promise<void>((go) => this.#waiting.push(go));
    }
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.#slots.map((service) => service?.stop()));
  }

  async killAll(): Promise<void> {
    await Promise.all(this.#slots.map((service) => service?.kill()));
  }
}
