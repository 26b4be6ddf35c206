import { createRequire } from 'node:module';
import { join } from 'node:path';
import { OUTPUT } from '../compile.js';
import type { StartableServer } from '../http/servers.js';
import { STORES, type StoreKind } from './databases.js';

/** A users service that can be measured. */
export interface UsersServer {
  /** The name on the command line. */
  readonly name: string;
  /** The name in tables and charts. */
  readonly title: string;
  /** The stores that it has. */
  readonly stores: readonly StoreKind['name'][];
  /** A prefix for the paths of all requests. */
  readonly mount: string;
  /** The file to run. */
  readonly main: string;
  /** Variables to add to the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

const ALL = STORES.map(({ name }) => name);

/** Describes a service in `src/service`. */
const peer = (name: string, title: string, file: string) => ({
  ...{ name, title, stores: ALL, mount: '/api' },
  main: join(OUTPUT, 'service', file),
});

/** Describes an API of the built example service. */
const usersApi = (name: string, title: string, mount: string) => ({
  ...{ name, title, stores: ALL, mount },
  main: createRequire(import.meta.url).resolve('users-api/dist/main.js'),
});

/** The service that all others are compared with. */
export const BASELINE: UsersServer = peer('fastify', 'Fastify', 'fastify.js');

/** A second process of the baseline. The distance of its ratio from 1.00 is the noise of a run. */
export const AGAIN: UsersServer = {
  ...BASELINE,
  ...{ name: 'fastify-again', title: 'Fastify, again (A/A)' },
};

/** All services, in the order of the tables. */
export const SERVERS: readonly UsersServer[] = [
  BASELINE,
  AGAIN,
  {
    ...peer('fastify-group-commit', 'Fastify, group commit', 'fastify.js'),
    ...{ stores: ['sqlite'], env: { GROUP_COMMIT: 'on' } },
  },
  {
    ...peer('fastify-log', 'Fastify, its own log', 'fastify.js'),
    env: { LOG: 'fastify' },
  },
  usersApi('users-api', 'users-api, functions', '/api'),
  usersApi('users-api-class', 'users-api, classes', '/api/v1'),
  peer('nest', 'NestJS on Fastify', 'nest.js'),
];

/** The flag that users-api documents. All services get it. */
export const NODE_FLAGS = ['--max-semi-space-size=16'];

/** Describes how to start a service on a database. */
export function onDatabase({ name, mount, main, env }: UsersServer, url: string): StartableServer {
  const settings = { PORT: '0', HOST: '127.0.0.1', DATABASE_URL: url };
  return { name, mount, program: () => ({ args: [main], env: { ...settings, ...env } }) };
}
