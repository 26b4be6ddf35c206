import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pick } from '../command.js';
import { OUTPUT } from '../compile.js';
import { WORKLOADS } from './workloads.js';

/** The exports of a file in `servers/`: one function per workload, which listens on a free port. */
export interface ServerModule {
  readonly start: Readonly<Record<string, (() => unknown) | undefined>>;
}

/** A program to run with node. */
export interface Program {
  /** The file and its arguments. */
  readonly args: readonly string[];
  /** Variables to add to the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A server that can be started. */
export interface StartableServer {
  /** The name on the command line. */
  readonly name: string;
  /** A prefix for the paths of all requests. */
  readonly mount?: string;
  program(workload: string): Program;
}

/** A server that can be measured. */
export interface ServerKind extends StartableServer {
  /** The name in tables and charts. */
  readonly title: string;
  /** The names of the workloads that it has. */
  readonly workloads: readonly string[];
}

const USERS = ['users-list', 'users-get', 'users-create'];
const VALIDATED = ['valid-get', 'valid-post'];
const PLAIN = WORKLOADS.map(({ name }) => name).filter(
  (name) => !USERS.includes(name) && !VALIDATED.includes(name),
);
const ALL = [...PLAIN, ...VALIDATED];

/** Describes the server in `servers/<name>.ts`. */
const kind = (name: string, title: string, workloads: readonly string[] = PLAIN): ServerKind => ({
  ...{ name, title, workloads },
  program: (workload) => ({ args: [join(OUTPUT, 'http/serve.js'), name, workload] }),
});

/** Describes the built example service with a new store. */
const usersApi = (name: string, title: string, mount: string, database: () => string) => ({
  ...{ name, title, mount, workloads: USERS },
  program: () => ({
    args: [createRequire(import.meta.url).resolve('users-api/dist/main.js')],
    env: { PORT: '0', HOST: '127.0.0.1', DATABASE_URL: database() },
  }),
});

const memory = () => 'memory:';
const sqlite = () => `sqlite:${join(mkdtempSync(join(OUTPUT, 'http/store-')), 'users.db')}`;

/** The server that all others are compared with. */
export const BASELINE: ServerKind = kind('raw', 'raw node:http', [...ALL, ...USERS]);

/** A second process of the baseline. The distance of its ratio from 1.00 is the noise of a run. */
const AGAIN: ServerKind = { ...BASELINE, name: 'raw-again', title: 'raw node:http, again (A/A)' };

const SCHEMAS = ['json', 'param', 'page', 'class-get', ...VALIDATED];

/** All servers, in the order of the tables. */
export const SERVERS: readonly ServerKind[] = [
  BASELINE,
  AGAIN,
  kind('raw-optimized', 'raw, optimizeEmptyRequests', [...ALL, ...USERS]),
  kind('raw-checked', "raw, with json()'s checks", ['post', 'class-post', 'valid-post']),
  kind('fairlead', 'Fairlead, functions', ALL),
  kind('fairlead-class', 'Fairlead, classes', ALL),
  kind('fairlead-values', 'Fairlead, values', ['json', 'param', 'class-get', 'class-post']),
  kind('fairlead-schema', 'Fairlead, functions, response schema', SCHEMAS),
  kind('fairlead-class-schema', 'Fairlead, classes, response schema', SCHEMAS),
  kind('fastify', 'Fastify', ALL),
  kind('fastify-schema', 'Fastify, response schema', SCHEMAS),
  kind('hono', 'Hono, @hono/node-server'),
  kind('h3', 'h3'),
  kind('koa', 'Koa, @koa/router'),
  kind('express', 'Express'),
  kind('nest-fastify', 'NestJS on Fastify', ALL),
  kind('nest-express', 'NestJS on Express', ALL),
  kind('routing-controllers', 'routing-controllers on Express'),
  usersApi('users-api-memory', 'users-api, functions, memory', '/api', memory),
  usersApi('users-api-memory-class', 'users-api, classes, memory', '/api/v1', memory),
  usersApi('users-api-sqlite', 'users-api, functions, SQLite', '/api', sqlite),
  usersApi('users-api-sqlite-class', 'users-api, classes, SQLite', '/api/v1', sqlite),
];

/** Returns the servers that have a workload. */
export function serversOf(
  workload: string,
  servers: readonly ServerKind[] = SERVERS,
): readonly ServerKind[] {
  return servers.filter((server) => server.workloads.includes(workload));
}

/** Returns the servers with the given names and the baseline, or all servers if there are no names. */
export function pickServers(names: readonly string[] = []): readonly ServerKind[] {
  return pick(SERVERS, names.length > 0 ? [BASELINE.name, ...names] : [], 'server');
}
