import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from '@fairlead/serve';
import { z } from 'zod';
import { findUrlProblem } from './users/store/postgres/database-url.js';

const require = createRequire(import.meta.url);

/** The version in package.json. */
export const { version: VERSION }: { readonly version: string } = require('../package.json');

/** Creates the error of a setting, which the name of the setting completes to a sentence. */
function wrong(allowed: string, values: readonly string[] = []) {
  const error = ({ input }: { readonly input?: unknown }): string => {
    const similar = findSimilar(String(input).toLowerCase(), values);
    const hint = similar === undefined ? '' : ` Did you mean ${similar}?`;
    return `is ${JSON.stringify(input)}. Use ${allowed}.${hint}`;
  };
  return { error };
}

/** Returns the value with the longest common prefix, or undefined without any. */
function findSimilar(text: string, values: readonly string[]): string | undefined {
  if (text === '') return undefined;
  return values.find((value) => value.startsWith(text)) ?? findSimilar(text.slice(0, -1), values);
}

/** An integer as text. Its errors lack the name of the setting. */
export function integer(min: number, max: number, description: string) {
  const allowed = `an integer from ${min} to ${max}`;
  const isAllowed = (text: string) =>
    /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max;
  const schema = z.string().refine(isAllowed, wrong(allowed)).transform(Number);
  return schema.describe(`${description}\n${allowed}`);
}

function choice<const Value extends string>(values: readonly Value[], description: string) {
  const allowed = `one of ${values.join(', ')}`;
  return z.enum(values, wrong(allowed, values)).describe(description);
}

function onOff(description: string) {
  const schema = choice(['on', 'off'], description).transform((value) => value === 'on');
  return schema.describe(description);
}

function text(pattern: RegExp, allowed: string, description: string) {
  return z.string().regex(pattern, wrong(allowed)).describe(`${description}\n${allowed}`);
}

const URLS =
  'postgres://USER:PASSWORD@HOST/DATABASE, memory: or sqlite:PATH ' +
  '(PATH is absolute, or relative to the working directory, and must not start with // or :)';

const databaseUrl = z.string().transform((url, { issues }) => {
  if (url === 'memory:') return { kind: 'memory' } as const;
  if (/^postgres(ql)?:/.test(url)) {
    const message = findUrlProblem(url);
    if (message === undefined) return { kind: 'postgres', url } as const;
    issues.push({ code: 'custom', input: url, message });
    return z.NEVER;
  }
  // `sqlite://a/b` looks relative but would mean /a/b, and `sqlite::memory:` looks like `memory:`.
  const path = /^sqlite:(?!\/\/[^/]|:)(.+)$/.exec(url)?.[1];
  if (path !== undefined) return { kind: 'sqlite', path: resolve(path) } as const;
  // Any other part may contain a password.
  const scheme = /^[a-z][a-z\d+.-]*:/i.exec(url)?.[0];
  const problem = scheme === undefined ? 'has no scheme' : `has the scheme ${scheme}`;
  issues.push({ code: 'custom', input: url, message: `${problem}. Use ${URLS}.` });
  return z.NEVER;
});

// The app's folder is one level up, both from src/ and from dist/.
const DEFAULT_FILE = fileURLToPath(new URL('../data/users.db', import.meta.url));

/** Every environment variable that the service reads, by name. */
const SETTINGS = {
  PORT: integer(0, 65_535, 'TCP port to listen on, or 0 for any free port').prefault('8080'),
  HOST: text(/./, 'an IP address or a host name', 'address to listen on (all if unset)').optional(),
  REUSE_PORT: onOff('whether other processes may listen on the same port').prefault('off'),
  OPERATIONS_PORT: integer(0, 65_535, 'port of /health/* and /metrics (PORT if unset)').optional(),
  MAX_CONNECTIONS: integer(1, 999_999, 'maximum connections (unlimited if unset)').optional(),
  MAX_BODY_SIZE: integer(1, 99_999_999, 'maximum bytes of a request body').prefault('1048576'),
  DATABASE_URL: databaseUrl
    .describe(`where users are stored\n${URLS}`)
    .prefault(`sqlite:${DEFAULT_FILE}`),
  POOL_SIZE: integer(1, 1_000, 'maximum PostgreSQL connections per process').prefault('10'),
  CONNECT_TIMEOUT: integer(1, 600_000, 'milliseconds to connect to PostgreSQL').prefault('2000'),
  STATEMENT_TIMEOUT: integer(1, 600_000, 'milliseconds for a PostgreSQL statement').prefault(
    '5000',
  ),
  MAX_NAME_LENGTH: integer(1, 10_000, 'maximum UTF-16 code units of a name').prefault('256'),
  MAX_EMAIL_LENGTH: integer(1, 10_000, 'maximum UTF-16 code units of an email').prefault('320'),
  MAX_PAGE_SIZE: integer(1, 999_999_999, 'maximum limit of a page (unlimited if unset)').optional(),
  NODE_ENV: choice(
    ['development', 'test', 'production'],
    'unless set to production, error responses include stack traces, and every response is checked',
  ).prefault('development'),
  LOG_LEVEL: choice(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'minimum level to log (requests are info, health checks debug)',
  ).prefault('info'),
  LOG_FORMAT: choice(
    ['auto', 'json', 'pretty'],
    'log format (auto is pretty in a terminal, json elsewhere)',
  ).prefault('auto'),
  REQUEST_ID_HEADER: text(
    /^[\w!#$%&'*+.^`|~-]+$/,
    'a header name',
    'request header in which a trusted proxy sends the request id',
  ).optional(),
  DOCS: choice(
    ['auto', 'on', 'off'],
    'whether to serve /docs, a page to try the API (auto is off if NODE_ENV is production)',
  ).prefault('auto'),
  METRICS: onOff('whether to serve /metrics').prefault('on'),
  TRACING: onOff('whether to trace requests with OpenTelemetry').prefault('off'),
  SHUTDOWN_DELAY: integer(
    0,
    600_000,
    'milliseconds to keep serving after a stop signal, while /health/ready responds with 503',
  ).prefault('0'),
  SHUTDOWN_TIMEOUT: integer(
    100,
    3_600_000,
    'milliseconds after a stop signal until the process exits, even with requests in flight',
  ).prefault('10000'),
};

/** The store to open, and where it is. Times are in milliseconds. */
export type StoreConfig =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly path: string }
  | {
      readonly kind: 'postgres';
      readonly url: string;
      readonly poolSize: number;
      readonly connectTimeout: number;
      readonly statementTimeout: number;
    };

const CONFIG = z
  .object(SETTINGS)
  .refine(({ REUSE_PORT, DATABASE_URL }) => !REUSE_PORT || DATABASE_URL.kind !== 'memory', {
    path: ['REUSE_PORT'],
    error:
      'is on and DATABASE_URL is memory:, but processes cannot share memory. ' +
      'Set REUSE_PORT=off, or set DATABASE_URL to a sqlite: or postgres: URL.',
  })
  .refine(({ PORT, OPERATIONS_PORT }) => PORT === 0 || PORT !== OPERATIONS_PORT, {
    path: ['OPERATIONS_PORT'],
    error: 'is the same as PORT. Use another port for one of them.',
  })
  .refine(({ SHUTDOWN_DELAY, SHUTDOWN_TIMEOUT }) => SHUTDOWN_DELAY < SHUTDOWN_TIMEOUT, {
    path: ['SHUTDOWN_DELAY'],
    error({ input }) {
      const { SHUTDOWN_DELAY, SHUTDOWN_TIMEOUT } = Object(input);
      const times = `is ${SHUTDOWN_DELAY} and SHUTDOWN_TIMEOUT is ${SHUTDOWN_TIMEOUT}`;
      return `${times}, which leaves no time to finish requests. Increase SHUTDOWN_TIMEOUT.`;
    },
  })
  .transform(({ DATABASE_URL, ...settings }) => {
    const { NODE_ENV, DOCS, POOL_SIZE: poolSize, CONNECT_TIMEOUT: connectTimeout } = settings;
    const limits = { poolSize, connectTimeout, statementTimeout: settings.STATEMENT_TIMEOUT };
    const isPostgres = DATABASE_URL.kind === 'postgres';
    const store: StoreConfig = isPostgres ? { ...DATABASE_URL, ...limits } : DATABASE_URL;
    const isProduction = NODE_ENV === 'production';
    const hasDocs = DOCS === 'on' || (DOCS === 'auto' && !isProduction);
    return {
      ...settings,
      store,
      hasDocs,
      includeStack: !isProduction,
      checkResponses: !isProduction,
    };
  });

/**
 * The configuration of the service: the value of each variable, and what follows from several of them. Its messages
 * repeat values, but not those that may contain a password.
 */
export class Config extends defineConfig(CONFIG, { showValues: true }) {}

/**
 * The limits that the environment sets. They are read at import because decorators receive their schemas
 * then. If the configuration is invalid, the defaults apply here, and reading it makes the start fail.
 */
export const USER_LIMITS: Pick<Config, 'MAX_NAME_LENGTH' | 'MAX_EMAIL_LENGTH' | 'MAX_PAGE_SIZE'> =
  Config.problems().length === 0 ? new Config() : new Config({});

/** Every variable with its meaning, allowed values and default. */
export const SETTING_HELP = Config.variables().map(({ name, description, accepts, fallback }) => {
  const [meaning, allowed = accepts] = String(description).split('\n');
  return { name, meaning: String(meaning), allowed: String(allowed), fallback };
});

/** Formats the `--help` text, which begins with `usage` and lists every variable. */
export function describeSettings(usage: string): string {
  return `${usage}\n\n${Config.help()}`;
}
