import cluster, { type Worker } from 'node:cluster';
import type { AggregatorRegistry, PrometheusContentType } from 'prom-client';
import type { Logger } from '../logging/logger.js';
import { isMessage, type PrimaryMessage, type WorkerMessage } from './messages.js';

/** How a worker exited. */
export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A worker, as seen by the primary. */
export interface WorkerProcess {
  readonly pid: number | undefined;
  /** The URL of the service. Rejects with a {@link WorkerStartError} when the worker exits first. */
  readonly ready: Promise<string>;
  readonly ended: Promise<Ending>;
  /** Makes the worker report that it is not ready. */
  announceStop(): void;
  /** Resolves when the worker has stopped listening or exited. */
  stopListening(): Promise<void>;
  /** Makes the worker finish its open requests and exit. */
  stop(): void;
  /** Kills the worker. */
  kill(): void;
}

/** A worker exited before it was ready. The worker has printed the reason. */
export class WorkerStartError extends Error {
  override readonly name = 'WorkerStartError';
  readonly code = 'WORKER_START_FAILED';

  constructor({ code, signal }: Ending) {
    super(`A worker exited with ${signal ?? code} before it was ready. See its error above.`);
  }
}

/**
 * Starts a worker, which runs this program on the same port.
 *
 * @param logger - Logs errors of the channel to the worker.
 * @param aggregator - Collects the metrics of all workers.
 */
export function startWorker(
  logger: Logger,
  aggregator: AggregatorRegistry<PrometheusContentType>,
): WorkerProcess {
  const worker = cluster.fork();
  const { pid } = worker.process;
  const ended = new Promise<Ending>((resolve) => {
    worker.once('exit', (code: number | null, signal: string | null) => resolve({ code, signal }));
    worker.on('error', (err) => {
      logger.warn({ err, worker: pid }, 'failed to start a worker or to send it a message');
      // A process that failed to start never emits 'exit'.
      if (pid === undefined) resolve({ code: 1, signal: null });
    });
  });
  const stoppedListening = new Promise<void>((resolve) => {
    ended.then(() => resolve());
    worker.on('message', (message: unknown) => {
      if (isMessage<WorkerMessage>(message, ['stopped-listening'])) resolve();
    });
  });
  const ready = new Promise<string>((resolve, reject) => {
    ended.then((ending) => reject(new WorkerStartError(ending)));
    worker.on('message', (message: unknown) => {
      if (!isMessage<WorkerMessage>(message, ['ready', 'metrics'])) return;
      if (message.type === 'ready') resolve(message.url);
      if (message.type === 'metrics') void sendMetrics(worker, message.id, aggregator);
    });
  });
  // A caller that only awaits `ended` does not handle this rejection.
  ready.catch(() => undefined);
  return {
    pid,
    ready,
    ended,
    announceStop: () => send(worker, { type: 'announce-stop' }),
    stopListening() {
      send(worker, { type: 'stop-listening' });
      return stoppedListening;
    },
    stop: () => send(worker, { type: 'stop' }),
    kill: () => void worker.process.kill('SIGKILL'),
  };
}

async function sendMetrics(
  worker: Worker,
  id: number,
  aggregator: AggregatorRegistry<PrometheusContentType>,
): Promise<void> {
  const text = await aggregator.clusterMetrics().catch(() => undefined);
  send(worker, { type: 'metrics', id, text });
}

function send(worker: Worker, message: PrimaryMessage): void {
  if (worker.isConnected()) worker.send(message);
}
