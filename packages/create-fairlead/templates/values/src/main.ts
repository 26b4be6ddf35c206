import { createContainer } from '@fairlead/di';
import { serve } from '@fairlead/serve';
import { z } from 'zod';
import { createNotesApi } from './app.ts';

const Config = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  /** Whoever knows it can change notes. */
  API_KEY: z
    .string('Missing. Create one with: openssl rand -hex 32')
    .min(32, 'Too short. Use at least 32 characters.'),
});

const config = Config.safeParse(process.env);
if (!config.success) {
  console.error(`The environment is invalid.\n${z.prettifyError(config.error)}`);
  process.exit(1);
}

const { PORT: port, API_KEY: apiKey } = config.data;
await serve(({ stopping }) => createNotesApi(createContainer(), { apiKey, stopping }), {
  port,
  name: '{{name}}',
});
