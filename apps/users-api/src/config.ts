import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StoreConfig } from './users/store/open.js';

/** What the service is told at its start. */
export interface Config {
  /** TCP port, 0 to 65535; 0 lets the system choose one. */
  readonly port: number;
  /** Address to listen on; every address when absent. */
  readonly host: string | undefined;
  /** Whether an error answer carries the stack. */
  readonly includeStack: boolean;
  readonly store: StoreConfig;
}

/** Environment variables that are wrong. The message lists each, and what is allowed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly code = 'CONFIG_INVALID';
  /** One line for each wrong variable. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(['The environment is wrong:', ...problems.map((line) => `  ${line}`)].join('\n'));
    this.problems = problems;
  }
}

const DEFAULT_PORT = 8080;

// This file lies in src/ or in dist/: the app's own folder is one up.
const DEFAULT_DATABASE = fileURLToPath(new URL('../data/users.db', import.meta.url));

/**
 * Reads the configuration from environment variables. An empty variable counts as unset.
 *
 * @param env - The environment, such as `process.env`.
 * @returns The frozen configuration.
 * @throws {ConfigError} When a variable has a value that is not allowed; names all of them.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const config: Config = {
    port: readPort(env.PORT || undefined, problems),
    host: env.HOST || undefined,
    includeStack: env.NODE_ENV !== 'production',
    store: readStore(env.DATABASE_URL || undefined, problems),
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config);
}

function readPort(value: string | undefined, problems: string[]): number {
  if (value === undefined) return DEFAULT_PORT;
  const port = Number(value);
  if (/^\d+$/.test(value) && port <= 65_535) return port;
  problems.push(`PORT is ${JSON.stringify(value)}: give an integer from 0 to 65535.`);
  return DEFAULT_PORT;
}

function readStore(value: string | undefined, problems: string[]): StoreConfig {
  if (value === undefined) return { kind: 'sqlite', path: DEFAULT_DATABASE };
  if (value === 'memory:') return { kind: 'memory' };
  // `sqlite://a/b` would look relative and lead to /a/b, so two slashes alone are refused.
  const path = /^sqlite:(?!\/\/[^/])(.+)$/.exec(value)?.[1];
  if (path !== undefined) return { kind: 'sqlite', path: resolve(path) };
  problems.push(
    `DATABASE_URL ${describeScheme(value)}: give memory: or sqlite:PATH ` +
      '(an absolute path, or one relative to the working directory, without // before it).',
  );
  return { kind: 'memory' };
}

/** Says no more of a URL than its scheme: any other place in it may hold a password. */
function describeScheme(url: string): string {
  const scheme = /^[a-z][a-z\d+.-]*:/i.exec(url)?.[0];
  return scheme === undefined ? 'has no scheme' : `is a URL of the scheme ${scheme}`;
}
