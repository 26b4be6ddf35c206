import { createContainer } from '@fairlead/di';
import { serve } from '@fairlead/serve';
import { createTasksApi } from './app.ts';
import { Config } from './config.ts';

const config = new Config();
await serve(
  // #if !jobs
  ({ stopping }) => createTasksApi(createContainer(), { config, stopping }),
  // #endif
  // #if jobs
  (lifecycle) =>
    createTasksApi(createContainer(), {
      config,
      stopping: lifecycle.stopping,
      lifecycle,
    }),
  // #endif
  () => ({
    port: config.PORT,
    delay: config.SHUTDOWN_DELAY,
    name: '{{name}}',
  }),
);
