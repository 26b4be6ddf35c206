import { setTimeout as delay } from 'node:timers/promises';
import { AggregatorRegistry, type PrometheusContentType } from 'prom-client';
import type { Logger } from '../logging/logger.js';
import { BackOff } from './back-off.js';
import { type Ending, startWorker, type WorkerProcess } from './worker-process.js';

/** A slot for one worker. Its worker changes when workers exit or are replaced. */
interface Slot {
  worker: WorkerProcess;
  readonly backOff: BackOff;
  /** Set while the slot waits for a replacement. */
  timer: NodeJS.Timeout | undefined;
}

/** Keeps a number of workers running. */
export class Supervisor {
  readonly #logger: Logger;
  readonly #aggregator = new AggregatorRegistry<PrometheusContentType>();
  readonly #slots: Slot[] = [];
  /** Every running process, including those without a slot. */
  readonly #running = new Set<WorkerProcess>();
  #isStopping = false;
  #restarting: Promise<void> | undefined = undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /**
   * Starts the first worker, and the others once it is ready. Only one process migrates the store,
   * and a failing start is attempted once.
   *
   * @param count - Number of workers, 1 or more.
   * @returns The URL of the service.
   * @throws {WorkerStartError} When the first worker exits before it is ready.
   */
  async start(count: number): Promise<string> {
    const first = this.#startWorker();
    const slot = this.#addSlot(first);
    const url = await first.ready;
    if (this.#isStopping) return url;
    this.#watch(slot, first);
    const others = Array.from({ length: count - 1 }, () => this.#startWorker());
    for (const worker of others) this.#watch(this.#addSlot(worker), worker);
    await Promise.allSettled(others.map(({ ready }) => ready));
    return url;
  }

  /** Replaces the workers one by one. Each one stops once its successor is ready. */
  restart(): Promise<void> {
    this.#restarting ??= this.#replaceAll().finally(() => {
      this.#restarting = undefined;
    });
    return this.#restarting;
  }

  /**
   * Stops all workers after their open requests. No worker closes its connections before all have
   * stopped listening, because clients would reconnect to another worker.
   *
   * @param wait - Milliseconds during which the workers still serve requests but are not ready.
   * @throws {Error} When a worker does not exit with 0.
   */
  async stop(wait: number): Promise<void> {
    this.#isStopping = true;
    for (const { timer } of this.#slots) clearTimeout(timer);
    const workers = this.#slots.filter(({ timer }) => !timer).map(({ worker }) => worker);
    for (const worker of workers) worker.announceStop();
    if (wait > 0) await delay(wait);
    await Promise.all(workers.map((worker) => worker.stopListening()));
    for (const worker of workers) worker.stop();
    const endings = await Promise.all(workers.map(({ ended }) => ended));
    // A successor that is still starting is not among these workers.
    await this.#restarting;
    const failed = endings.filter(({ code }) => code !== 0);
    if (failed.length > 0) throw new Error(`${failed.length} workers did not exit with 0.`);
  }

  /** Kills all workers. */
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

  #addSlot(worker: WorkerProcess): Slot {
    const slot: Slot = { worker, backOff: new BackOff(), timer: undefined };
    this.#slots.push(slot);
    return slot;
  }

  /** Assigns a worker to a slot, and replaces it when it exits. */
  #watch(slot: Slot, worker: WorkerProcess): void {
    clearTimeout(slot.timer);
    slot.timer = undefined;
    slot.worker = worker;
    const start = performance.now();
    void worker.ended.then((ending) => {
      const isReplaced = slot.worker !== worker;
      if (!isReplaced && !this.#isStopping) this.#onEnd(slot, ending, performance.now() - start);
    });
  }

  #onEnd(slot: Slot, ending: Ending, lived: number): void {
    const wait = slot.backOff.next(lived);
    const { pid } = slot.worker;
    this.#logger.error({ worker: pid, ...ending, wait }, 'a worker has ended and is replaced');
    slot.timer = setTimeout(() => this.#watch(slot, this.#startWorker()), wait);
  }

  async #replaceAll(): Promise<void> {
    for (const slot of this.#slots) await this.#replace(slot);
  }

  async #replace(slot: Slot): Promise<void> {
    if (this.#isStopping) return;
    this.#logger.info({ worker: slot.worker.pid }, 'a worker is about to be replaced');
    const successor = this.#startWorker();
    try {
      await successor.ready;
    } catch (err) {
      this.#logger.error({ err }, 'failed to replace a worker');
      return;
    }
    const { worker } = slot;
    this.#watch(slot, successor);
    // A stop that began in the meantime does not know the successor.
    await Promise.all((this.#isStopping ? [worker, successor] : [worker]).map(retire));
  }
}

/** Stops a worker after its open requests, once it receives no more connections. */
async function retire(worker: WorkerProcess): Promise<void> {
  await worker.stopListening();
  worker.stop();
  await worker.ended;
}
