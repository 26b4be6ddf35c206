import type { Random } from '../random.js';
import { Service } from './service.js';

/** Several services on one store. Each slot holds a service that can end and be replaced. */
export class Fleet {
  readonly #env: Readonly<Record<string, string>>;
  readonly #slots: (Service | undefined)[];
  #waiting: (() => void)[] = [];
  #started = 0;

  /**
   * @param size - The number of services.
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

  /**
   * Returns the service of a slot.
   *
   * @throws {Error} When no service was started in the slot.
   */
  at(slot: number): Service {
    const service = this.#slots[slot];
    if (service === undefined) throw new Error(`No service was started in slot ${slot}.`);
    return service;
  }

  /** Returns one of the services that accept requests. Waits until there is one. */
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
