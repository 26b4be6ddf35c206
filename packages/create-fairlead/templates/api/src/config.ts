import { defineConfig } from '@fairlead/serve';
import { z } from 'zod';
// #if auth
import { Credentials } from './schemas.js';
// #endif

// #if postgres
const DATABASE_SERVER = 'postgres://postgres:postgres@127.0.0.1:5432';

// #endif
/** The environment variables that configure the API. */
export class Config extends defineConfig({
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  // #if sqlite
  DATABASE_PATH: z.string().min(1).default('data/tasks.db'),
  // #endif
  // #if postgres
  /** The default is the database of compose.yaml, for development. */
  DATABASE_URL: z
    .url({
      protocol: /^postgres(ql)?$/,
      error: 'Use a URL such as postgres://user@host:5432/database.',
    })
    .default(`${DATABASE_SERVER}/{{name}}`),
  // #endif
  // #if jobs
  /** Receives each new task. */
  WEBHOOK_URL: z.url({ protocol: /^https?$/ }).optional(),
  // #endif
  // #if compiled
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  // #endif
  /** Milliseconds to keep serving after SIGTERM, so that load balancers stop sending requests. */
  SHUTDOWN_DELAY: z.coerce.number().int().min(0).max(60_000).default(0),
  // #if stripped !auth
  /** Whoever knows it can change tasks. */
  API_KEY: z
    .string('Create one with: openssl rand -hex 32')
    .min(32, 'Too short. Use at least 32 characters.'),
  // #endif
  // #if auth
  /** Signs the tokens. Whoever knows it can sign in as anybody. To replace it, put a new one in front: `new,old`. */
  JWT_SECRET: z
    .string('Create one with: openssl rand -hex 32')
    .transform((secrets) => secrets.split(','))
    .pipe(z.array(z.string().min(32, 'Too short. Use at least 32 characters.'))),
  /** An administrator to create at startup, unless the address has an account. */
  ADMIN_EMAIL: Credentials.shape.email.optional(),
  ADMIN_PASSWORD: Credentials.shape.password.optional(),
  // #endif
}) {}
