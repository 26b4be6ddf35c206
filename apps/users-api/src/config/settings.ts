import { z } from 'zod';
import { DEFAULT_DATABASE_URL, readDatabaseUrl } from './database-url.js';

/** What people are told of a variable. */
export interface About {
  readonly meaning: string;
  /** Completes the sentence `NAME is …: give …`. */
  readonly allowed: string;
  /** The allowed values, where they can be listed. */
  readonly words?: readonly string[];
  /** Whether the value may hold a password, so that it is never repeated. */
  readonly secret?: true;
}

/** What people are told of each variable of {@link SETTINGS}. */
export const ABOUT = z.registry<About>();

/** Every environment variable that the service reads, by name. */
export const SETTINGS = z.object({
  PORT: integer(0, 65_535, 8080, 'TCP port to listen on; 0 takes a free one'),
  HOST: z.string().optional().register(ABOUT, {
    meaning: 'address to listen on; every address unless given',
    allowed: 'an address or a name',
  }),
  DATABASE_URL: z
    .string()
    .transform((url, { issues }) => {
      const database = readDatabaseUrl(url);
      if (database !== undefined) return database;
      issues.push({ code: 'custom', input: url });
      return z.NEVER;
    })
    .prefault(DEFAULT_DATABASE_URL)
    .register(ABOUT, {
      meaning: 'where the users are',
      allowed:
        'postgres://USER:PASSWORD@HOST/DATABASE, memory: or sqlite:PATH ' +
        '(an absolute path, or one relative to the working directory, without // before it)',
      secret: true,
    }),
  POOL_SIZE: integer(1, 1_000, 10, 'connections of each process to PostgreSQL'),
  MAX_NAME_LENGTH: integer(1, 10_000, 256, 'longest name of a user, in UTF-16 code units'),
  MAX_EMAIL_LENGTH: integer(1, 10_000, 320, 'longest email of a user, in UTF-16 code units'),
  NODE_ENV: choice(
    ['development', 'test', 'production'],
    'development',
    'unless it is production, error responses carry a stack',
  ),
  LOG_LEVEL: choice(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'info',
    'least level that is logged; requests are info, health checks debug',
  ),
  LOG_FORMAT: choice(
    ['auto', 'json', 'pretty'],
    'auto',
    'form of the log; auto is pretty in a terminal and JSON elsewhere',
  ),
  REQUEST_ID_HEADER: z
    .string()
    .regex(/^[\w!#$%&'*+.^`|~-]+$/)
    .optional()
    .register(ABOUT, {
      meaning: "header of the proxy's request id, which is kept; set it only behind such a proxy",
      allowed: "a header's name",
    }),
  METRICS: choice(['on', 'off'], 'on', 'whether /metrics answers'),
  TRACING: choice(['on', 'off'], 'off', 'whether requests are traced with OpenTelemetry'),
  WORKERS: integer(1, 256, 1, 'processes that share the port'),
  SHUTDOWN_DELAY: integer(
    0,
    600_000,
    0,
    'milliseconds between the signal to stop, when /health/ready turns to 503, and the end of listening',
  ),
  SHUTDOWN_TIMEOUT: integer(
    100,
    3_600_000,
    10_000,
    'milliseconds from the signal to stop to the end of the process, with all that is in flight',
  ),
});

/** The values of {@link SETTINGS}. */
export type Settings = z.output<typeof SETTINGS>;

/** The name of a variable. */
export type SettingName = keyof typeof SETTINGS.shape;

/** The names of all variables. */
export const SETTING_NAMES = Object.keys(SETTINGS.shape) as readonly SettingName[];

function integer(least: number, most: number, fallback: number, meaning: string) {
  return z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .pipe(z.number().min(least).max(most))
    .prefault(String(fallback))
    .register(ABOUT, { meaning, allowed: `an integer from ${least} to ${most}` });
}

function choice<const Word extends string>(
  words: readonly Word[],
  fallback: NoInfer<Word>,
  meaning: string,
) {
  return z
    .enum(words)
    .default(fallback)
    .register(ABOUT, { meaning, allowed: `one of ${words.join(', ')}`, words });
}
