import autocannon from 'autocannon';
import type { LoadGenerator, Slice } from './load.js';
import type { Exchange } from './workloads.js';

/** Loads a server with autocannon, which opens new connections for each run. */
export class AutocannonLoad implements LoadGenerator {
  readonly #options: autocannon.Options;
  readonly #statuses: readonly string[];

  /** @see {@link Load} */
  constructor(port: number, exchanges: readonly Exchange[], connections: number) {
    const requests = exchanges.map(({ method, path, headers = {}, body }) => ({
      ...{ method, path, headers },
      ...(body !== undefined && { body }),
    }));
    this.#options = { url: `http://127.0.0.1:${port}`, connections, requests };
    this.#statuses = exchanges.map(({ status }) => `${status}`);
  }

  async run(milliseconds: number): Promise<Slice> {
    const latencies: number[] = [];
    const begin = performance.now();
    const { errors, statusCodeStats = {} } = await new Promise<autocannon.Result>(
      (resolve, reject) => {
        const options = { ...this.#options, duration: milliseconds / 1_000 };
        const run = autocannon(options, (error, result) =>
          error ? reject(error) : resolve(result),
        );
        run.on('response', (_client, _status, _bytes, latency) => latencies.push(latency));
      },
    );
    const duration = performance.now() - begin;
    const unexpected = Object.keys(statusCodeStats).filter(
      (code) => !this.#statuses.includes(code),
    );
    if (unexpected.length > 0) throw new Error(`Unexpected status: ${unexpected.join(', ')}.`);
    if (errors > 0) throw new Error(`${errors} requests failed.`);
    return { requests: latencies.length, duration, latencies };
  }

  close(): void {}
}
