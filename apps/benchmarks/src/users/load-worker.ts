import { get } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { Load } from '../http/load.js';
import type { Exchange } from '../http/workloads.js';

/**
 * Loads a server in its own thread, so that it does not delay who measures the server's delays. The
 * thread sends a {@link LoadResult} when it has been told to stop.
 */

/** A load. */
export interface WorkerLoad {
  readonly port: number;
  readonly connections: number;
  /** The request that every connection repeats. The body of a streamed response is discarded. */
  readonly exchange: Exchange & { readonly streamed?: boolean };
}

/** What a load has done. */
export interface LoadResult {
  readonly requests: number;
  /** How often the server responded with 503. The load then went on with new connections. */
  readonly refusals: number;
}

/** The length of a run, in milliseconds. A load ends with the run in which it is told to stop. */
const RUN = 1_000;

const { port, connections, exchange } = workerData as WorkerLoad;
let isStopping = false;
parentPort?.once('message', () => {
  isStopping = true;
});

let requests = 0;
let refusals = 0;
if (exchange.streamed) {
  while (!isStopping) {
    await discard(`http://127.0.0.1:${port}${exchange.path}`);
    requests += 1;
  }
} else {
  let load = new Load(port, [exchange], connections);
  while (!isStopping) {
    try {
      requests += (await load.run(RUN)).requests;
    } catch (error) {
      if (!/HTTP\/1\.1 503/.test(String(error))) throw error;
      refusals += 1;
      load.close();
      load = new Load(port, [exchange], connections);
    }
  }
  load.close();
}
parentPort?.postMessage({ requests, refusals } satisfies LoadResult);

function discard(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, (response) => response.resume().once('end', resolve)).once('error', reject);
  });
}
