import type { UserLimits } from '../users/input.js';
import { describeStore, type StoreConfig } from '../users/store/open.js';
import { ConfigError } from './config-error.js';
import { describeScheme } from './database-url.js';
import { ABOUT, SETTINGS, type SettingName, type Settings } from './settings.js';

/** What the service is told at its start. */
export interface Config {
  /** TCP port, 0 to 65535; 0 lets the system choose one. */
  readonly port: number;
  /** Address to listen on; every address when absent. */
  readonly host: string | undefined;
  /** Whether an error answer carries the stack. */
  readonly includeStack: boolean;
  readonly store: StoreConfig;
  readonly limits: UserLimits;
  readonly log: { readonly level: Settings['LOG_LEVEL']; readonly format: Settings['LOG_FORMAT'] };
  /** Header whose value is kept as a request's id; each request gets an id of its own when absent. */
  readonly requestIdHeader: string | undefined;
  readonly metrics: boolean;
  readonly tracing: boolean;
  /** Processes that share the port, 1 or more. */
  readonly workers: number;
  /** Both in milliseconds; the delay is part of the time-out. */
  readonly shutdown: { readonly delay: number; readonly timeout: number };
}

/**
 * Reads the configuration from environment variables. An empty variable counts as unset.
 *
 * @param env - The environment, such as `process.env`.
 * @returns The frozen configuration.
 * @throws {ConfigError} When a variable has a value that is not allowed; names all of them.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.entries(env).filter(([, value]) => value !== undefined && value !== '');
  const result = SETTINGS.safeParse(Object.fromEntries(given));
  if (!result.success) {
    const names = new Set(result.error.issues.map(({ path }) => path[0] as SettingName));
    throw new ConfigError([...names].map((name) => describeProblem(name, env[name] ?? '')));
  }
  const problems = contradictions(result.data);
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(toConfig(result.data));
}

/** What a person may read of a configuration: it holds no secret. */
export function describeConfig(config: Config): Readonly<Record<string, unknown>> {
  return { ...config, store: describeStore(config.store) };
}

function toConfig(settings: Settings): Config {
  return {
    port: settings.PORT,
    host: settings.HOST,
    includeStack: settings.NODE_ENV !== 'production',
    store: toStoreConfig(settings),
    limits: { name: settings.MAX_NAME_LENGTH, email: settings.MAX_EMAIL_LENGTH },
    log: { level: settings.LOG_LEVEL, format: settings.LOG_FORMAT },
    requestIdHeader: settings.REQUEST_ID_HEADER,
    metrics: settings.METRICS === 'on',
    tracing: settings.TRACING === 'on',
    workers: settings.WORKERS,
    shutdown: { delay: settings.SHUTDOWN_DELAY, timeout: settings.SHUTDOWN_TIMEOUT },
  };
}

function toStoreConfig({ DATABASE_URL, POOL_SIZE }: Settings): StoreConfig {
  return DATABASE_URL.kind === 'postgres' ? { ...DATABASE_URL, poolSize: POOL_SIZE } : DATABASE_URL;
}

function describeProblem(name: SettingName, value: string): string {
  const about = ABOUT.get(SETTINGS.shape[name]) ?? { meaning: '', allowed: 'another value' };
  const { allowed, words = [], secret } = about;
  const problem = secret ? describeScheme(value) : `is ${JSON.stringify(value)}`;
  const near = nearest(value, words);
  return `${name} ${problem}: give ${allowed}.${near === undefined ? '' : ` Did you mean ${near}?`}`;
}

/** The word that begins most like a value, in any case; undefined when none has its first letter. */
function nearest(value: string, words: readonly string[]): string | undefined {
  const text = value.toLowerCase();
  for (let length = text.length; length > 0; length -= 1) {
    const found = words.find((word) => word.startsWith(text.slice(0, length)));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What each variable allows, and all together do not. */
function contradictions(settings: Settings): string[] {
  const { DATABASE_URL, WORKERS, SHUTDOWN_DELAY, SHUTDOWN_TIMEOUT } = settings;
  const problems: string[] = [];
  if (WORKERS > 1 && DATABASE_URL.kind === 'memory') {
    problems.push(
      `WORKERS is ${WORKERS} and DATABASE_URL is memory:, so that each process would have users of ` +
        'its own: give WORKERS=1 or a DATABASE_URL that processes can share.',
    );
  }
  if (SHUTDOWN_DELAY >= SHUTDOWN_TIMEOUT) {
    problems.push(
      `SHUTDOWN_DELAY is ${SHUTDOWN_DELAY} and SHUTDOWN_TIMEOUT is ${SHUTDOWN_TIMEOUT}, which leaves ` +
        'no time to finish requests: give a longer SHUTDOWN_TIMEOUT.',
    );
  }
  return problems;
}
