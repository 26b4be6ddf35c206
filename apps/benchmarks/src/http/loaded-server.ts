import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Comparison } from '../comparison.js';
import { OUTPUT } from '../compile.js';
import { cpuOf, startPinned } from '../pinned-process.js';
import { Load, type LoadGenerator, type Slice } from './load.js';
import type { Usage } from './probe.js';
import type { Program, ServerKind, StartableServer } from './servers.js';
import type { Exchange, Workload } from './workloads.js';

/** A server in its own process. */
export interface ServerProcess {
  readonly pid: number | undefined;
  readonly port: number;
  usage(): Promise<Usage>;
  /** Returns the CPU time since its start, in microseconds. */
  cpu(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Starts a server and waits until it listens.
 *
 * @param node - The node binary.
 * @param flags - Flags for node.
 * @throws {Error} If its process ends first.
 */
export async function startServer(
  { args, env }: Program,
  node: string,
  flags: readonly string[] = [],
): Promise<ServerProcess> {
  const probe = ['--import', join(OUTPUT, 'http/probe.js')];
  const { pid, greeting, ask, stop } = await startPinned(node, [...flags, ...probe, ...args], env);
  const usage = () => ask('usage') as Promise<Usage>;
  const counted = () => (pid === undefined ? undefined : cpuOf(pid));
  const cpu = async () => counted() ?? (await usage()).cpu;
  return { pid, port: Number(greeting), usage, cpu, stop };
}

/** How a server is started and loaded. */
export interface LoadOptions {
  /** The node binary of the server. */
  readonly node: string;
  /** Flags for node. */
  readonly flags?: readonly string[];
  /** The number of keep-alive connections. Each has one request at a time. */
  readonly connections: number;
  /** The load generator. {@link Load} by default. */
  readonly generator?: new (
    ...args: ConstructorParameters<typeof Load>
  ) => LoadGenerator;
}

/** How many requests of a workload are checked in full before it starts. */
const CHECKED = 100;

/** A server that is ready to be measured on a workload. */
export interface LoadedServer {
  readonly kind: StartableServer;
  /** The URL that the paths of the workload are relative to. */
  readonly base: string;
  readonly process: ServerProcess;
  /** Sends requests for some milliseconds. An error names the server and the workload. */
  run(milliseconds: number): Promise<Slice>;
  /** Closes the connections and stops the server. */
  stop(): Promise<void>;
}

/**
 * Starts a server, prepares it for a workload and checks its responses.
 *
 * @throws {Error} If the server does not start or a response is wrong. The message names the server
 *   and the workload.
 */
export async function startLoaded(
  kind: StartableServer,
  workload: Workload,
  { node, flags, connections, generator: Generator = Load }: LoadOptions,
): Promise<LoadedServer> {
  const blame = (cause: Error): never => {
    throw new Error(`${kind.name}, ${workload.name}: ${cause.message}`, { cause });
  };
  const process = await startServer(kind.program(workload.name), node, flags).catch(blame);
  try {
    const { mount = '' } = kind;
    const origin = `http://127.0.0.1:${process.port}`;
    const base = origin + mount;
    const prepared = await workload.prepare(base);
    const exchanges = prepared.map((exchange) => ({ ...exchange, path: mount + exchange.path }));
    for (const exchange of exchanges.slice(0, CHECKED)) await checkResponse(origin, exchange);
    const load = new Generator(process.port, exchanges, connections);
    return {
      ...{ kind, base, process },
      run: (milliseconds) => load.run(milliseconds).catch(blame),
      async stop() {
        load.close();
        await process.stop();
      },
    };
  } catch (error) {
    await process.stop();
    return blame(error as Error);
  }
}

/**
 * Sends a request and compares the response with the expected one. A request with authorization is
 * also sent without it and must be refused.
 */
async function checkResponse(origin: string, exchange: Exchange): Promise<void> {
  const { method, path, body = null, headers = {}, volatile = false } = exchange;
  const { Authorization, ...others } = headers;
  const response = await fetch(origin + path, { method, headers, body });
  const comparable = volatile ? withoutVolatile : (text: string) => text;
  const actual = {
    status: response.status,
    type: response.headers.get('content-type')?.split(';')[0],
    body: comparable(await response.text()),
  };
  const { status, type } = exchange;
  const expected = { status, type, body: comparable(exchange.response) };
  if (!isDeepStrictEqual(actual, expected)) {
    const [got, wanted] = [actual, expected].map((value) => JSON.stringify(value));
    throw new Error(`${method} ${path} responds with ${got} instead of ${wanted}.`);
  }
  if (Authorization === undefined) return;
  const refusal = await fetch(origin + path, { method, headers: others, body });
  if (refusal.status !== 401 && refusal.status !== 403) {
    throw new Error(`${method} ${path} without authorization responds with ${refusal.status}.`);
  }
}

function withoutVolatile(text: string): string {
  return text
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>')
    .replaceAll(/"total":\d+/g, '"total":<number>');
}

/** How servers take turns. */
export interface TurnOptions extends LoadOptions {
  /** The length of a turn, in milliseconds. */
  readonly slice: number;
  /** The length of the load before the first turn, in milliseconds. */
  readonly warmUp: number;
}

/**
 * Compares servers on a workload.
 *
 * @param servers - The baseline and others that have the workload.
 */
export function compareServers(
  workload: Workload,
  servers: readonly ServerKind[],
  options: TurnOptions,
): Comparison {
  const { name, title } = workload;
  const contestants = servers.map((server) => async () => {
    const { process, run, stop } = await startLoaded(server, workload, options);
    const turn = async () => {
      const before = await process.cpu();
      const { requests, duration, latencies } = await run(options.slice);
      const after = await process.cpu();
      return {
        throughput: (requests / duration) * 1_000,
        cpu: (after - before) / requests,
        latency: latencies,
      };
    };
    return { title: server.title, warmUp: () => run(options.warmUp), turn, stop };
  });
  return { name, title, contestants };
}
