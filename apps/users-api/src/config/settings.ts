import { z } from 'zod';
import { DEFAULT_DATABASE_URL, readDatabaseUrl } from './database-url.js';

/** Documentation of a variable. */
export interface SettingHelp {
  readonly meaning: string;
  /** Completes the sentence `NAME is …. Use …`. */
  readonly allowed: string;
  /** The allowed values, if the variable is an enumeration. */
  readonly values?: readonly string[];
  /** Set when the value may contain a password. Messages never repeat such a value. */
  readonly secret?: true;
}

/** Documentation of each variable of {@link SETTINGS}. */
export const SETTING_HELP = z.registry<SettingHelp>();

/** Every environment variable that the service reads, by name. */
export const SETTINGS = z.object({
  PORT: integer(0, 65_535, 8080, 'TCP port to listen on, or 0 for any free port'),
  HOST: z.string().optional().register(SETTING_HELP, {
    meaning: 'address to listen on (every address if unset)',
    allowed: 'an IP address or a host name',
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
    .register(SETTING_HELP, {
      meaning: 'where users are stored',
      allowed:
        'postgres://USER:PASSWORD@HOST/DATABASE, memory: or sqlite:PATH ' +
        '(PATH is absolute, or relative to the working directory, and must not start with //)',
      secret: true,
    }),
  POOL_SIZE: integer(1, 1_000, 10, 'maximum number of PostgreSQL connections per process'),
  MAX_NAME_LENGTH: integer(1, 10_000, 256, 'maximum length of a name, in UTF-16 code units'),
  MAX_EMAIL_LENGTH: integer(1, 10_000, 320, 'maximum length of an email, in UTF-16 code units'),
  NODE_ENV: choice(
    ['development', 'test', 'production'],
    'development',
    'unless set to production, error responses include stack traces, and every response is checked',
  ),
  LOG_LEVEL: choice(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'info',
    'minimum level to log (requests are info, health checks debug)',
  ),
  LOG_FORMAT: choice(
    ['auto', 'json', 'pretty'],
    'auto',
    'log format (auto is pretty in a terminal, json elsewhere)',
  ),
  REQUEST_ID_HEADER: z
    .string()
    .regex(/^[\w!#$%&'*+.^`|~-]+$/)
    .optional()
    .register(SETTING_HELP, {
      meaning: 'request header in which a trusted proxy sends the request id',
      allowed: 'a header name',
    }),
  DOCS: choice(
    ['auto', 'on', 'off'],
    'auto',
    'whether to serve /docs, a page to try the API (auto is off if NODE_ENV is production)',
  ),
  METRICS: choice(['on', 'off'], 'on', 'whether to serve /metrics'),
  TRACING: choice(['on', 'off'], 'off', 'whether to trace requests with OpenTelemetry'),
  REUSE_PORT: choice(['on', 'off'], 'off', 'whether other processes may listen on the same port'),
  SHUTDOWN_DELAY: integer(
    0,
    600_000,
    0,
    'milliseconds to keep serving after a stop signal, while /health/ready responds with 503',
  ),
  SHUTDOWN_TIMEOUT: integer(
    100,
    3_600_000,
    10_000,
    'milliseconds after a stop signal until the process exits, even with requests in flight',
  ),
});

/** The values of {@link SETTINGS}. */
export type Settings = z.output<typeof SETTINGS>;

/** The name of a variable. */
export type SettingName = keyof typeof SETTINGS.shape;

/** The names of all variables. */
export const SETTING_NAMES = Object.keys(SETTINGS.shape) as readonly SettingName[];

function integer(min: number, max: number, fallback: number, meaning: string) {
  return z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .prefault(String(fallback))
    .register(SETTING_HELP, { meaning, allowed: `an integer from ${min} to ${max}` });
}

function choice<const Value extends string>(
  values: readonly Value[],
  fallback: NoInfer<Value>,
  meaning: string,
) {
  return z
    .enum(values)
    .default(fallback)
    .register(SETTING_HELP, { meaning, allowed: `one of ${values.join(', ')}`, values });
}
