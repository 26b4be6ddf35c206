import autocannon from 'autocannon';
import type { Exchange } from './exchange.js';
import type { LoadGenerator, Slice } from './load.js';

/** Loads a server with autocannon, which makes new connections for each slice. */
export class AutocannonLoad implements LoadGenerator {
  readonly #port: number;
  readonly #exchanges: readonly Exchange[];
  readonly #connections: number;

  /** @see {@link Load} */
  constructor(port: number, exchanges: readonly Exchange[], connections: number) {
    this.#port = port;
    this.#exchanges = exchanges;
    this.#connections = connections;
  }

  async run(milliseconds: number): Promise<Slice> {
    const latencies: number[] = [];
    const statuses = new Set(this.#exchanges.map(({ status }) => status));
    let wrong: number | undefined;
    const begin = performance.now();
    const options = {
      url: `http://127.0.0.1:${this.#port}`,
      connections: this.#connections,
      duration: milliseconds / 1_000,
      requests: this.#exchanges.map(({ method, path, headers = {}, body }) => ({
        ...{ method, path, headers },
        ...(body !== undefined && { body }),
      })),
    };
    const { errors } = await new Promise<autocannon.Result>((resolve, reject) => {
      const run = autocannon(options, (error: unknown, result) => {
        if (error) reject(error);
        else resolve(result);
      });
      run.on('response', (_client, status, _bytes, latency) => {
        latencies.push(latency);
        if (!statuses.has(status)) wrong = status;
      });
    });
    if (wrong !== undefined) throw new Error(`A request was answered with ${wrong}.`);
    if (errors > 0) throw new Error(`${errors} requests had no answer.`);
    return { requests: latencies.length, duration: performance.now() - begin, latencies };
  }

  close(): void {}
}
