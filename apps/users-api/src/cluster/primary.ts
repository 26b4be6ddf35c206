import type { Config } from '../config/config.js';
import type { Log } from '../logging/logger.js';
import { Shutdown } from '../shutdown.js';
import { describeStore } from '../users/store/open.js';
import { Supervisor } from './supervisor.js';

/**
 * Runs workers on one port until a signal stops the process. SIGUSR2 replaces the workers one by
 * one. The primary itself opens no store.
 *
 * @throws {WorkerStartError} When the first worker exits before it is ready.
 */
export async function runPrimary(config: Config, log: Log): Promise<void> {
  const supervisor = new Supervisor(log.logger);
  const shutdown = new Shutdown({
    log,
    timeout: config.shutdown.timeout,
    stop: () => supervisor.stop(config.shutdown.delay),
    abandon: () => supervisor.kill(),
  });
  shutdown.onSignals('SIGTERM', 'SIGINT', 'SIGHUP');
  shutdown.onUncaught();
  let hasStarted = false;
  // Without a listener, the signal would end the process.
  process.on('SIGUSR2', () => {
    if (hasStarted) void supervisor.restart();
    else log.logger.warn('ignored SIGUSR2: send it again once the service listens');
  });
  try {
    const url = await supervisor.start(config.workers);
    hasStarted = true;
    const store = describeStore(config.store);
    log.logger.info(`users-api listens on ${url}, store ${store}, ${config.workers} workers`);
  } catch (error) {
    // A worker that was stopped during its start has not failed.
    if (!shutdown.hasBegun) throw error;
  }
}
