import cluster, { type Worker } from 'node:cluster';
import type { AggregatorRegistry, PrometheusContentType } from 'prom-client';
import type { Logger } from '../logging/logger.js';
import { isMessage, type PrimaryMessage, type WorkerMessage } from './messages.js';

/** How a worker has ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A worker as its primary knows it. */
export interface WorkerProcess {
  readonly pid: number | undefined;
  /** The URL at which it answers; rejects with a {@link WorkerStartError} when it ends before. */
  readonly ready: Promise<string>;
  readonly ended: Promise<Ending>;
  /** Makes it say that it is not ready any more. */
  announceStop(): void;
  /** Resolves when it listens no more, or has ended. */
  stopListening(): Promise<void>;
  /** Tells it to finish its requests and end. */
  stop(): void;
  /** Ends it at once. */
  kill(): void;
}

/** A worker that has ended before it could answer. It has written why. */
export class WorkerStartError extends Error {
  override readonly name = 'WorkerStartError';
  readonly code = 'WORKER_START_FAILED';

  constructor({ code, signal }: Ending) {
    super(
      `A worker has ended with ${signal ?? code} before it could answer; it has said why above.`,
    );
  }
}

/**
 * Starts a worker: this program once more, on the same port.
 *
 * @param logger - Is told of a channel that breaks.
 * @param aggregator - Collects the metrics of all workers when one is asked for them.
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
      logger.warn({ err, worker: pid }, 'a worker could not be started or told something');
      // What could not be started never exits.
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
      if (message.type === 'metrics') void answerMetrics(worker, message.id, aggregator);
    });
  });
  // Who waits for the end alone leaves this one unread.
  ready.catch(() => undefined);
  return {
    pid,
    ready,
    ended,
    announceStop: () => tell(worker, { type: 'announce-stop' }),
    stopListening() {
      tell(worker, { type: 'stop-listening' });
      return stoppedListening;
    },
    stop: () => tell(worker, { type: 'stop' }),
    kill: () => void worker.process.kill('SIGKILL'),
  };
}

async function answerMetrics(
  worker: Worker,
  id: number,
  aggregator: AggregatorRegistry<PrometheusContentType>,
): Promise<void> {
  const text = await aggregator.clusterMetrics().catch(() => undefined);
  tell(worker, { type: 'metrics', id, text });
}

function tell(worker: Worker, message: PrimaryMessage): void {
  if (worker.isConnected()) worker.send(message);
}
