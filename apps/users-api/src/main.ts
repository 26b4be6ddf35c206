import { parseArgs } from 'node:util';
import { manageTelemetry } from '@fairlead/opentelemetry';
import { createLogger } from '@fairlead/pino';
import { type Lifecycle, serve } from '@fairlead/serve';
import { createUsersApp } from './app.js';
import { Config, describeSettings, VERSION } from './config.js';
import { describeFailure, serializeError } from './errors.js';
import { describeStore, openStore } from './users/store/open.js';

const USAGE = `users-api: a JSON service that creates, reads, updates and deletes users.

Usage: node dist/main.js [--help | --version]`;

try {
  const { values } = parseArgs({
    options: { help: { type: 'boolean' }, version: { type: 'boolean' } },
  });
  if (values.help) console.log(describeSettings(USAGE));
  else if (values.version) console.log(VERSION);
  else await run(new Config());
} catch (error) {
  console.error(describeFailure(error));
  process.exit(1);
}

/** Runs the service until a signal or an uncaught error stops it. */
async function run(config: Config): Promise<void> {
  const { LOG_LEVEL: level, LOG_FORMAT: format } = config;
  const logger = createLogger({ level, format, serializeError });
  const location = describeStore(config.store);
  logger.debug({ config: { ...config, store: location } }, 'configuration');
  // The callbacks run in reverse order, so the spans of everything else are exported last.
  const createApps = async ({ stopping, onClose }: Lifecycle) => {
    if (config.TRACING) manageTelemetry(onClose, { logger });
    const store = await openStore(config.store, { warn: (error) => logger.warn(error) });
    onClose(function closeStore() {
      return store.close();
    });
    return createUsersApp({ config, store, logger, stopping });
  };
  await serve(createApps, {
    port: config.PORT,
    operationsPort: config.OPERATIONS_PORT,
    ...(config.HOST !== undefined && { host: config.HOST }),
    ...(config.MAX_CONNECTIONS !== undefined && { maxConnections: config.MAX_CONNECTIONS }),
    reusePort: config.REUSE_PORT,
    name: 'users-api',
    logger,
    signals: ['SIGTERM', 'SIGINT', 'SIGHUP'],
    delay: config.SHUTDOWN_DELAY,
    deadline: config.SHUTDOWN_TIMEOUT,
    describeError: (error) => describeFailure(error, config.OPERATIONS_PORT),
    onUncaught: (err, origin) => logger.fatal({ err }, origin),
    onAbandon(reason) {
      logger.fatal(reason);
      return 1;
    },
    onListen: ({ url }) => logger.info(`users-api listens on ${url}, store ${location}`),
  });
  if (config.includeStack) {
    logger.warn('error responses include stack traces. Set NODE_ENV=production to omit them.');
  }
}
