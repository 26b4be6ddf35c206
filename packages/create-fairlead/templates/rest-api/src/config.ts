import { z } from 'zod';

/** The environment variables that configure the API. */
export const Config = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  DATABASE_PATH: z.string().min(1).default('data/tasks.db'),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  /** Milliseconds to keep serving after SIGTERM, so that load balancers stop sending requests. */
  SHUTDOWN_DELAY: z.coerce.number().int().min(0).max(60_000).default(0),
});

export type Config = z.infer<typeof Config>;
