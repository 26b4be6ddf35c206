import { createContainer } from '@fairlead/di';
import { createLogger } from '@fairlead/pino';
import { serve } from '@fairlead/serve';
import { z } from 'zod';
import { createTasksApi } from './app.js';
import { Config } from './config.js';

const config = Config.safeParse(process.env);
if (!config.success) {
  console.error(`The environment is invalid.\n${z.prettifyError(config.error)}`);
  process.exit(1);
}

const { PORT: port, SHUTDOWN_DELAY: delay, LOG_LEVEL: level } = config.data;
const logger = createLogger({ level });
await serve(
  ({ stopping }) => createTasksApi(createContainer(), { config: config.data, logger, stopping }),
  {
    port,
    delay,
    logger,
    name: '{{name}}',
    onUncaught: (err, origin) => logger.fatal({ err }, origin),
  },
);
