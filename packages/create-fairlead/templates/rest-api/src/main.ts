import { createContainer } from '@fairlead/di';
import { createLogger } from '@fairlead/pino';
import { serve } from '@fairlead/serve';
import { createTasksApi } from './app.js';
import { Config } from './config.js';

const config = new Config();
const logger = createLogger();
await serve(
  // #if !jobs
  ({ stopping }) => createTasksApi(createContainer(), { config, logger, stopping }),
  // #endif
  // #if jobs
  (lifecycle) =>
    createTasksApi(createContainer(), {
      config,
      logger,
      stopping: lifecycle.stopping,
      lifecycle,
    }),
  // #endif
  () => {
    logger.level = config.LOG_LEVEL;
    return {
      port: config.PORT,
      delay: config.SHUTDOWN_DELAY,
      logger,
      name: '{{name}}',
      onUncaught: (err, origin) => logger.fatal({ err }, origin),
    };
  },
);
