/** What a file in `servers/` exports: how to start each workload; each listens on a free port. */
export interface ServerModule {
  readonly start: Readonly<Record<string, (() => unknown) | undefined>>;
}

/** A server that can be measured. */
export interface ServerKind {
  /** What the command line and the process's file call it. */
  readonly name: string;
  readonly title: string;
  /** File in `servers/`, without its ending. */
  readonly module: string;
  /** Workloads that it has; all when absent. */
  readonly workloads?: readonly string[];
}

const kind = (name: string, title: string, ...workloads: readonly string[]): ServerKind => ({
  name,
  title,
  module: name,
  ...(workloads.length > 0 && { workloads }),
});

/** What all others are divided by. */
export const BASELINE: ServerKind = kind('raw', 'raw node:http');

/** A second process of the baseline: how far it is from 1.00 is the noise. */
const AGAIN: ServerKind = { ...BASELINE, name: 'raw-again', title: 'raw node:http, again (A/A)' };

/** Every server, in the order of the tables. */
export const SERVERS: readonly ServerKind[] = [
  BASELINE,
  AGAIN,
  kind('raw-optimized', 'raw, optimizeEmptyRequests'),
  kind('fairlead', 'Fairlead, functions'),
  kind('fairlead-class', 'Fairlead, classes'),
  kind('fastify', 'Fastify'),
  kind('fastify-schema', 'Fastify, response schema', 'json', 'param', 'page', 'class-get'),
  kind('hono', 'Hono, @hono/node-server'),
  kind('h3', 'h3'),
  kind('koa', 'Koa, @koa/router'),
  kind('express', 'Express'),
  kind('nest-fastify', 'NestJS on Fastify'),
  kind('nest-express', 'NestJS on Express'),
  kind('routing-controllers', 'routing-controllers on Express'),
];

/** @returns Those of some servers that have a workload. */
export function serversOf(
  workload: string,
  servers: readonly ServerKind[] = SERVERS,
): readonly ServerKind[] {
  return servers.filter((server) => server.workloads?.includes(workload) ?? true);
}
