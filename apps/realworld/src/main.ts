import { randomBytes } from 'node:crypto';
import { createLogger } from '@fairlead/pino';
import { serve } from '@fairlead/serve';
import { z } from 'zod';
import { createConduit } from './app.ts';
import { openDatabase } from './store/open.ts';

const Config = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  /** The path of an SQLite file, or the URL of a PostgreSQL database. */
  DATABASE_URL: z.string().min(1).default('data/conduit.db'),
  /** Without it, all tokens become invalid when the process ends. */
  JWT_SECRET: z
    .string()
    .min(32, 'Too short. Create one with: openssl rand -hex 32')
    .default(() => randomBytes(32).toString('hex')),
});

const config = Config.safeParse(process.env);
if (!config.success) {
  console.error(`The environment is invalid.\n${z.prettifyError(config.error)}`);
  process.exit(1);
}

const { PORT: port, DATABASE_URL: url, JWT_SECRET: secret } = config.data;
const logger = createLogger();
await serve(
  async ({ stopping, onClose }) => {
    const database = await openDatabase(url, (error) => logger.warn(error));
    onClose(() => database.close());
    return createConduit({ database, secret, logger, stopping });
  },
  { port, name: 'Conduit', logger },
);
