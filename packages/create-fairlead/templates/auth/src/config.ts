import { z } from 'zod';
import { Credentials } from './accounts.js';

/** The environment variables that configure the API. */
export const Config = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  DATABASE_PATH: z.string().min(1).default('data/accounts.db'),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  /** Signs the tokens. Whoever knows it can sign in as anybody. */
  JWT_SECRET: z
    .string('Missing. Create one with: openssl rand -hex 32')
    .min(32, 'Too short. Use at least 32 characters.'),
  /** An administrator to create at startup, unless the address has an account. */
  ADMIN_EMAIL: Credentials.shape.email.optional(),
  ADMIN_PASSWORD: Credentials.shape.password.optional(),
});

export type Config = z.infer<typeof Config>;
