import { join } from 'node:path';
import { OUTPUT } from '../compile.js';
import { ENGINE_ROOT, ROOT } from '../engine/load.js';
import { startPinned } from '../pinned-process.js';
import type { CalledFunction } from './count.js';
import type { CountedRoute } from './routes.js';

/** What one warm request to a route passes through in our packages. */
export interface Calls {
  /** The number of source files. */
  readonly files: number;
  /** The number of different functions. */
  readonly functions: number;
  /** The number of calls. */
  readonly calls: number;
  /** The functions, most calls first. */
  readonly called: readonly CalledFunction[];
}

/**
 * Counts the calls of a warm request to each route, in a new process in production mode.
 *
 * @param node - The node binary.
 * @param root - The built checkout whose packages are measured.
 * @returns The calls of the routes, in their order.
 */
export async function countCalls(
  routes: readonly CountedRoute[],
  node: string = process.execPath,
  root: string = ROOT,
): Promise<readonly Calls[]> {
  const program = [join(OUTPUT, 'calls/count.js'), ...routes.map(({ name }) => name)];
  const { greeting, stop } = await startPinned(node, program, { [ENGINE_ROOT]: root });
  await stop();
  return (greeting as readonly (readonly CalledFunction[])[]).map((called) => ({
    files: new Set(called.map(({ file }) => file)).size,
    functions: called.length,
    calls: called.reduce((total, { calls }) => total + calls, 0),
    called,
  }));
}
