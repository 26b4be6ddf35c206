import { createContainer } from '@fairlead/di';
import { serve } from '@fairlead/serve';
import { z } from 'zod';
import { createTasksApi } from './app.ts';
import { Config } from './config.ts';

const config = Config.safeParse(process.env);
if (!config.success) {
  console.error(`The environment is invalid.\n${z.prettifyError(config.error)}`);
  process.exit(1);
}

const { PORT: port, SHUTDOWN_DELAY: delay } = config.data;
await serve(
  ({ stopping }) => createTasksApi(createContainer(), { config: config.data, stopping }),
  {
    port,
    delay,
    name: '{{name}}',
  },
);
