import { describeStore, type StoreConfig } from '../users/store/open.js';
import { describeScheme } from './database-url.js';
import { SETTING_HELP, SETTINGS, type SettingName, type Settings } from './settings.js';
import { USER_LIMITS } from './user-limits.js';

/** Invalid environment variables. The message lists each one and the values it allows. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly code = 'CONFIG_INVALID';
  /** One line per problem. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(['Invalid environment variables:', ...problems.map((line) => `  ${line}`)].join('\n'));
    this.problems = problems;
  }
}

/** Configuration of the service. */
export interface Config {
  /** TCP port, 0 to 65535. With 0, the operating system chooses a free port. */
  readonly port: number;
  /** Address to listen on. When undefined, the service listens on every address. */
  readonly host: string | undefined;
  /** Whether error responses include the stack. */
  readonly includeStack: boolean;
  /** Whether a response that does not match its schema is a 500. */
  readonly checkResponses: boolean;
  readonly store: StoreConfig;
  readonly log: { readonly level: Settings['LOG_LEVEL']; readonly format: Settings['LOG_FORMAT'] };
  /** Header to read the request id from. When undefined, each request gets a new id. */
  readonly requestIdHeader: string | undefined;
  /** Whether to serve the page `/docs`. */
  readonly docs: boolean;
  readonly metrics: boolean;
  readonly tracing: boolean;
  /** Whether other processes may listen on the same port. */
  readonly reusePort: boolean;
  /** In milliseconds. The timeout includes the delay. */
  readonly shutdown: { readonly delay: number; readonly timeout: number };
}

/**
 * Reads the configuration from environment variables. Empty variables count as unset.
 *
 * @param env - The environment, such as `process.env`.
 * @returns The frozen configuration.
 * @throws {ConfigError} When variables are invalid. Lists all of them.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.entries(env).filter(([, value]) => value !== undefined && value !== '');
  const result = SETTINGS.safeParse(Object.fromEntries(given));
  if (!result.success) {
    const names = new Set(result.error.issues.map(({ path }) => path[0] as SettingName));
    throw new ConfigError([...names].map((name) => describeProblem(name, env[name] ?? '')));
  }
  const problems = findConflicts(result.data);
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(toConfig(result.data));
}

/** Returns the configuration without secrets, for the log. */
export function describeConfig(config: Config): Readonly<Record<string, unknown>> {
  return { ...config, store: describeStore(config.store), limits: USER_LIMITS };
}

function toConfig(settings: Settings): Config {
  return {
    port: settings.PORT,
    host: settings.HOST,
    includeStack: settings.NODE_ENV !== 'production',
    checkResponses: settings.NODE_ENV !== 'production',
    store: toStoreConfig(settings),
    log: { level: settings.LOG_LEVEL, format: settings.LOG_FORMAT },
    requestIdHeader: settings.REQUEST_ID_HEADER,
    docs:
      settings.DOCS === 'on' || (settings.DOCS === 'auto' && settings.NODE_ENV !== 'production'),
    metrics: settings.METRICS === 'on',
    tracing: settings.TRACING === 'on',
    reusePort: settings.REUSE_PORT === 'on',
    shutdown: { delay: settings.SHUTDOWN_DELAY, timeout: settings.SHUTDOWN_TIMEOUT },
  };
}

function toStoreConfig({ DATABASE_URL, POOL_SIZE }: Settings): StoreConfig {
  return DATABASE_URL.kind === 'postgres' ? { ...DATABASE_URL, poolSize: POOL_SIZE } : DATABASE_URL;
}

function describeProblem(name: SettingName, value: string): string {
  const help = SETTING_HELP.get(SETTINGS.shape[name]) ?? { meaning: '', allowed: 'another value' };
  const { allowed, values = [], secret } = help;
  const problem = secret ? describeScheme(value) : `is ${JSON.stringify(value)}`;
  const similar = findSimilar(value, values);
  const hint = similar === undefined ? '' : ` Did you mean ${similar}?`;
  return `${name} ${problem}. Use ${allowed}.${hint}`;
}

/** Returns the value with the longest common prefix, ignoring case, or undefined without any. */
function findSimilar(value: string, allowed: readonly string[]): string | undefined {
  const text = value.toLowerCase();
  for (let length = text.length; length > 0; length -= 1) {
    const found = allowed.find((other) => other.startsWith(text.slice(0, length)));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Finds variables that are valid individually but not together. */
function findConflicts(settings: Settings): string[] {
  const { DATABASE_URL, REUSE_PORT, SHUTDOWN_DELAY, SHUTDOWN_TIMEOUT } = settings;
  const problems: string[] = [];
  if (REUSE_PORT === 'on' && DATABASE_URL.kind === 'memory') {
    problems.push(
      'REUSE_PORT is on and DATABASE_URL is memory:, but processes cannot share memory. ' +
        'Set REUSE_PORT=off, or set DATABASE_URL to a sqlite: or postgres: URL.',
    );
  }
  if (SHUTDOWN_DELAY >= SHUTDOWN_TIMEOUT) {
    problems.push(
      `SHUTDOWN_DELAY is ${SHUTDOWN_DELAY} and SHUTDOWN_TIMEOUT is ${SHUTDOWN_TIMEOUT}, which leaves ` +
        'no time to finish requests. Increase SHUTDOWN_TIMEOUT.',
    );
  }
  return problems;
}
