import { createContainer } from '@fairlead/di';
import { serve } from '@fairlead/serve';
import { createTasksApi } from './app.ts';
import { Config } from './config.ts';

const config = new Config();
await serve(
  ({ stopping }) => createTasksApi(createContainer(), { config, stopping }),
  () => ({
    port: config.PORT,
    delay: config.SHUTDOWN_DELAY,
    name: '{{name}}',
  }),
);
