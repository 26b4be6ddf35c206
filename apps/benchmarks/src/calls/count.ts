import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { type Profiler, Session } from 'node:inspector/promises';
import { SourceMap } from 'node:module';
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Server } from '@fairlead/core';
import { ENGINE_ROOT, ROOT } from '../engine/load.js';
import type { ServerModule } from '../http/servers.js';
import type { Exchange } from '../http/workloads.js';
import { COUNTED_ROUTES, exchangeOf } from './routes.js';

/** A function that a warm request calls. */
export interface CalledFunction {
  /** The source file, relative to the root of the repository, such as `packages/core/src/body.ts`. */
  readonly file: string;
  readonly name: string;
  /** The line of the source file that the function starts in. */
  readonly line: number;
  /** How often one request calls it. */
  readonly calls: number;
}

/** More requests than those after which a route stops observing its steps. */
const WARM_UP = 300;

/**
 * Sampled work and timers run in less than one request of so many, and the work around a response
 * can end after the last one. The rounded mean leaves out both.
 */
const REQUESTS = 300;

// The program of the process that counts: `count.js <route...>`.
const session = new Session();
session.connect();
await session.post('Profiler.enable');
// Before it loads the packages: V8 then never inlines a function, and counts every call.
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const counts: CalledFunction[][] = [];
for (const name of process.argv.slice(2)) counts.push(await countRoute(name));
process.send?.(counts);

async function countRoute(routeName: string): Promise<CalledFunction[]> {
  const route = COUNTED_ROUTES.find(({ name }) => name === routeName);
  if (route === undefined) throw new Error(`The route ${routeName} does not exist.`);
  const { start }: ServerModule = await import(`../http/servers/${route.server}.js`);
  const server = (await start[route.starter]?.()) as Server;
  const exchange = await exchangeOf(route);
  for (const _ of Array(WARM_UP)) await exchangeWith(server.port, exchange);
  await session.post('Profiler.takePreciseCoverage');
  for (const _ of Array(REQUESTS)) await exchangeWith(server.port, exchange);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result.flatMap(functionsOf).sort((one, other) => other.calls - one.calls);
}

async function exchangeWith(port: number, expected: Exchange): Promise<void> {
  const { method, path, body, headers } = expected;
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
  const sent = request({ agent, port, method, path, headers: { ...headers, ...length } }).end(body);
  const [response] = await once(sent, 'response');
  const received = await readText(response);
  if (response.statusCode === expected.status && received === expected.response) return;
  throw new Error(`${method} ${path} responds with ${response.statusCode}: ${received}`);
}

/** Returns the functions of a script that a request calls, if the script belongs to a package. */
function functionsOf({ url, functions }: Profiler.ScriptCoverage): CalledFunction[] {
  const root = pathToFileURL(`${process.env[ENGINE_ROOT] ?? ROOT}/`);
  if (!url.startsWith(new URL('packages/', root).href)) return [];
  const text = readFileSync(fileURLToPath(url), 'utf8');
  const starts = [0, ...text.matchAll(/\n/g).map(({ index }) => index + 1)];
  const map = new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${url}.map`), 'utf8')));
  return functions.flatMap(({ functionName, ranges: [range] }) => {
    const calls = Math.round((range?.count ?? 0) / REQUESTS);
    if (range === undefined || calls === 0) return [];
    const line = starts.findLastIndex((start) => start <= range.startOffset);
    const entry = map.findEntry(line, range.startOffset - (starts[line] ?? 0));
    if (!('originalSource' in entry)) throw new Error(`${url} has no source for ${functionName}.`);
    const file = new URL(entry.originalSource, url).href.slice(root.href.length);
    return { file, name: functionName || '(anonymous)', line: entry.originalLine + 1, calls };
  });
}
