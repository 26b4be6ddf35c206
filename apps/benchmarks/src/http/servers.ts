import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { OUTPUT } from '../compile.js';
import { WORKLOADS } from './workloads.js';

/** What a file in `servers/` exports: how to start each workload; each listens on a free port. */
export interface ServerModule {
  readonly start: Readonly<Record<string, (() => unknown) | undefined>>;
}

/** What is run for a workload: a file and its arguments, and what is added to the environment. */
export interface Program {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A server that can be measured. */
export interface ServerKind {
  /** What the command line calls it. */
  readonly name: string;
  readonly title: string;
  /** The workloads that it has. */
  readonly workloads: readonly string[];
  /** What precedes the paths of the workloads; nothing when absent. */
  readonly mount?: string;
  program(workload: string): Program;
}

const USERS = ['users-list', 'users-get', 'users-create'];
const PLAIN = WORKLOADS.map(({ name }) => name).filter((name) => !USERS.includes(name));

/** A server of a file in `servers/` that has its name. */
const kind = (name: string, title: string, workloads: readonly string[] = PLAIN): ServerKind => ({
  ...{ name, title, workloads },
  program: (workload) => ({ args: [join(OUTPUT, 'http/serve.js'), name, workload] }),
});

/** The example service, as it is built, on a new store. */
const usersApi = (name: string, title: string, mount: string, database: () => string) => ({
  ...{ name, title, mount, workloads: USERS },
  program: () => ({
    args: [createRequire(import.meta.url).resolve('users-api/dist/main.js')],
    env: { PORT: '0', HOST: '127.0.0.1', DATABASE_URL: database() },
  }),
});

const memory = () => 'memory:';
const sqlite = () => `sqlite:${join(mkdtempSync(join(OUTPUT, 'http/store-')), 'users.db')}`;

/** What all others are divided by. */
export const BASELINE: ServerKind = kind('raw', 'raw node:http', [...PLAIN, ...USERS]);

/** A second process of the baseline: how far it is from 1.00 is the noise. */
const AGAIN: ServerKind = { ...BASELINE, name: 'raw-again', title: 'raw node:http, again (A/A)' };

const SCHEMAS = ['json', 'param', 'page', 'class-get'];

/** Every server, in the order of the tables. */
export const SERVERS: readonly ServerKind[] = [
  BASELINE,
  AGAIN,
  kind('raw-optimized', 'raw, optimizeEmptyRequests', [...PLAIN, ...USERS]),
  kind('fairlead', 'Fairlead, functions'),
  kind('fairlead-class', 'Fairlead, classes'),
  kind('fairlead-schema', 'Fairlead, functions, response schema', SCHEMAS),
  kind('fairlead-class-schema', 'Fairlead, classes, response schema', SCHEMAS),
  kind('fastify', 'Fastify'),
  kind('fastify-schema', 'Fastify, response schema', SCHEMAS),
  kind('hono', 'Hono, @hono/node-server'),
  kind('h3', 'h3'),
  kind('koa', 'Koa, @koa/router'),
  kind('express', 'Express'),
  kind('nest-fastify', 'NestJS on Fastify'),
  kind('nest-express', 'NestJS on Express'),
  kind('routing-controllers', 'routing-controllers on Express'),
  usersApi('users-api-memory', 'users-api, functions, memory', '/api', memory),
  usersApi('users-api-memory-class', 'users-api, classes, memory', '/api/v1', memory),
  usersApi('users-api-sqlite', 'users-api, functions, SQLite', '/api', sqlite),
  usersApi('users-api-sqlite-class', 'users-api, classes, SQLite', '/api/v1', sqlite),
];

/** @returns Those of some servers that have a workload. */
export function serversOf(
  workload: string,
  servers: readonly ServerKind[] = SERVERS,
): readonly ServerKind[] {
  return servers.filter((server) => server.workloads.includes(workload));
}
