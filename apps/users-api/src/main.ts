import { parseArgs } from 'node:util';
import { createLogger } from '@fairlead/pino';
import { serve } from '@fairlead/serve';
import { type Config, describeSettings, readConfig, VERSION } from './config.js';
import { describeFailure, serializeError } from './errors.js';
import { createService, hostOf } from './service.js';
import { describeStore } from './users/store/open.js';

const USAGE = `users-api: a JSON service that creates, reads, updates and deletes users.

Usage: node dist/main.js [--help | --version]`;

try {
  const { values } = parseArgs({
    options: { help: { type: 'boolean' }, version: { type: 'boolean' } },
  });
  if (values.help) console.log(describeSettings(USAGE));
  else if (values.version) console.log(VERSION);
  else await run(readConfig(process.env));
} catch (error) {
  console.error(describeFailure(error));
  process.exit(1);
}

/** Runs the service until a signal or an uncaught error stops it. */
async function run(config: Config): Promise<void> {
  const { LOG_LEVEL: level, LOG_FORMAT: format } = config;
  const logger = createLogger({ level, format, serializeError });
  const store = describeStore(config.store);
  logger.debug({ config: { ...config, store } }, 'configuration');
  await serve((lifecycle) => createService(lifecycle, config, logger), {
    port: config.PORT,
    ...hostOf(config),
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
    onListen: ({ url }) => logger.info(`users-api listens on ${url}, store ${store}`),
  });
  if (config.includeStack) {
    logger.warn('error responses include stack traces. Set NODE_ENV=production to omit them.');
  }
}
