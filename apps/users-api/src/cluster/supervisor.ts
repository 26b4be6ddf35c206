import { setTimeout as delay } from 'node:timers/promises';
import { AggregatorRegistry, type PrometheusContentType } from 'prom-client';
import type { Logger } from '../logging/logger.js';
import { BackOff } from './back-off.js';
import { type Ending, startWorker, type WorkerProcess } from './worker-process.js';

/** The place of one worker: who has it changes when workers end. */
interface Place {
  worker: WorkerProcess;
  readonly backOff: BackOff;
  /** Runs while a worker that has ended is not replaced yet. */
  timer: NodeJS.Timeout | undefined;
}

/** Keeps a number of workers running. */
export class Supervisor {
  readonly #logger: Logger;
  readonly #aggregator = new AggregatorRegistry<PrometheusContentType>();
  readonly #places: Place[] = [];
  /** Every process that has not ended, also one that has no place yet or any more. */
  readonly #running = new Set<WorkerProcess>();
  #isStopping = false;
  #restarting: Promise<void> | undefined = undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /**
   * Starts the first worker, and the others once it answers: so a start that cannot succeed is tried
   * once, and the store is made ready by one process.
   *
   * @param count - Number of workers, 1 or more.
   * @returns The URL at which they answer.
   * @throws {WorkerStartError} When the first one ends before it answers.
   */
  async start(count: number): Promise<string> {
    const first = this.#startWorker();
    const place = this.#addPlace(first);
    const url = await first.ready;
    if (this.#isStopping) return url;
    this.#watch(place, first);
    const others = Array.from({ length: count - 1 }, () => this.#startWorker());
    for (const worker of others) this.#watch(this.#addPlace(worker), worker);
    await Promise.allSettled(others.map(({ ready }) => ready));
    return url;
  }

  /** Replaces each worker by a new one, one after the other, each once its successor answers. */
  restart(): Promise<void> {
    this.#restarting ??= this.#replaceAll().finally(() => {
      this.#restarting = undefined;
    });
    return this.#restarting;
  }

  /**
   * Lets all workers finish their requests and end. None sends clients away before all have stopped
   * listening: they would come back to another one.
   *
   * @param wait - Milliseconds for which the workers go on, but are not ready.
   * @throws {Error} When one has ended otherwise.
   */
  async stop(wait: number): Promise<void> {
    this.#isStopping = true;
    for (const { timer } of this.#places) clearTimeout(timer);
    const workers = this.#places.filter(({ timer }) => !timer).map(({ worker }) => worker);
    for (const worker of workers) worker.announceStop();
    if (wait > 0) await delay(wait);
    await Promise.all(workers.map((worker) => worker.stopListening()));
    for (const worker of workers) worker.stop();
    const endings = await Promise.all(workers.map(({ ended }) => ended));
    // A successor that was being started is not among the workers, and answers once it is ready.
    await this.#restarting;
    const failed = endings.filter(({ code }) => code !== 0);
    if (failed.length > 0) throw new Error(`${failed.length} workers have not ended cleanly.`);
  }

  /** Ends all workers at once. */
  kill(): void {
    this.#isStopping = true;
    for (const worker of this.#running) worker.kill();
  }

  #startWorker(): WorkerProcess {
    const worker = startWorker(this.#logger, this.#aggregator);
    this.#running.add(worker);
    void worker.ended.then(() => this.#running.delete(worker));
    const started = () => this.#logger.info({ worker: worker.pid }, 'a worker is ready');
    worker.ready.then(started, () => undefined);
    return worker;
  }

  #addPlace(worker: WorkerProcess): Place {
    const place: Place = { worker, backOff: new BackOff(), timer: undefined };
    this.#places.push(place);
    return place;
  }

  /** Gives a place to a worker, and to another one when it ends. */
  #watch(place: Place, worker: WorkerProcess): void {
    clearTimeout(place.timer);
    place.timer = undefined;
    place.worker = worker;
    const start = performance.now();
    void worker.ended.then((ending) => {
      const isReplaced = place.worker !== worker;
      if (!isReplaced && !this.#isStopping) this.#onEnd(place, ending, performance.now() - start);
    });
  }

  #onEnd(place: Place, ending: Ending, lived: number): void {
    const wait = place.backOff.next(lived);
    const { pid } = place.worker;
    this.#logger.error({ worker: pid, ...ending, wait }, 'a worker has ended and is replaced');
    place.timer = setTimeout(() => this.#watch(place, this.#startWorker()), wait);
  }

  async #replaceAll(): Promise<void> {
    for (const place of this.#places) await this.#replace(place);
  }

  async #replace(place: Place): Promise<void> {
    if (this.#isStopping) return;
    this.#logger.info({ worker: place.worker.pid }, 'a worker is about to be replaced');
    const successor = this.#startWorker();
    try {
      await successor.ready;
    } catch (err) {
      this.#logger.error({ err }, 'a worker could not be replaced and stays');
      return;
    }
    const { worker } = place;
    this.#watch(place, successor);
    // What stops all workers, if it has begun, has not seen the successor.
    await Promise.all((this.#isStopping ? [worker, successor] : [worker]).map(retire));
  }
}

/** Lets a worker finish its requests and end, once no connection can be on its way to it any more. */
async function retire(worker: WorkerProcess): Promise<void> {
  await worker.stopListening();
  worker.stop();
  await worker.ended;
}
