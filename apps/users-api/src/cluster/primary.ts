import { runProcess } from '@fairlead/serve';
import type { Config } from '../config/config.js';
import type { Logger } from '../logging/logger.js';
import { processOptions } from '../serve.js';
import { describeStore } from '../users/store/open.js';
import { Supervisor } from './supervisor.js';

/**
 * Runs workers on one port until a signal stops the process. SIGUSR2 replaces the workers one by
 * one. The primary itself opens no store.
 */
export async function runPrimary(config: Config, logger: Logger): Promise<void> {
  const supervisor = new Supervisor(logger);
  let hasStarted = false;
  // Without a listener, the signal would end the process.
  process.on('SIGUSR2', () => {
    if (hasStarted) void supervisor.restart();
    else logger.warn('ignored SIGUSR2: send it again once the service listens');
  });
  await runProcess(
    async ({ stopping, onClose }) => {
      let stopped: Promise<void> | undefined;
      const stopWorkers = () => {
        stopped ??= supervisor.stop(config.shutdown.delay);
        return stopped;
      };
      onClose(stopWorkers);
      // A start that waits for a worker ends with it.
      stopping.addEventListener('abort', () => stopWorkers().catch(() => undefined));
      const url = await supervisor.start(config.workers).catch((error) => {
        // A worker that was stopped during its start has not failed.
        stopping.throwIfAborted();
        throw error;
      });
      hasStarted = true;
      const store = describeStore(config.store);
      logger.info(`users-api listens on ${url}, store ${store}, ${config.workers} workers`);
    },
    {
      ...processOptions(logger),
      deadline: config.shutdown.timeout,
      onAbandon(reason) {
        logger.fatal(reason);
        supervisor.kill();
        return 1;
      },
    },
  );
}
