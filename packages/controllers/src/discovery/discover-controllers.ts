import { readFileSync } from 'node:fs';
import { DiscoveryError } from '../errors/discovery-error.js';
import { describePlace } from '../errors/problem-text.js';
import type { DiscoveryResult } from './discovery-result.js';
import { type DiscoveryOptions, findFiles } from './find-files.js';
import { importControllers, watchIdle } from './import-file.js';
import { ImportGraph } from './import-graph.js';
import { modulesOnStack, processEntry } from './pending-modules.js';

/** `@Controller(` in source, or as compilers write it. */
const DECLARES_CONTROLLER = /^\s*@?(?:\w+\.)?Controller\(/m;

/**
 * Imports the files below a directory and finds the controllers that they export.
 *
 * The process's entry module is never imported, nor a module that is being evaluated, nor one that
 * statically imports such a module: their import could not settle. Where such a file declares a
 * controller, its result carries an error.
 *
 * @param options - Directory and globs.
 * @returns One result per file, in path order.
 * @throws {DiscoveryError} 500, when the directory is missing; what is wrong with a single file is
 *   in its result.
 */
export function discoverControllers(options: DiscoveryOptions): Promise<DiscoveryResult[]> {
  return discover(options, modulesOnStack());
}

/**
 * Does the work of {@link discoverControllers} for a caller that has looked at the stack itself.
 *
 * @param pending - Real paths of modules that are being evaluated.
 */
export async function discover(
  options: DiscoveryOptions,
  pending: ReadonlySet<string>,
): Promise<DiscoveryResult[]> {
  const files = await findFiles(options);
  const graph = new ImportGraph();
  const entry = processEntry();
  const { idle, stop } = watchIdle();
  const look = async (file: string): Promise<DiscoveryResult> => {
    try {
      const blocker = file === entry ? file : graph.findReached(file, pending);
      const controllers =
        blocker === undefined ? await importControllers(file, idle) : leaveAlone(file, blocker);
      return Object.freeze({ file, controllers });
    } catch (error) {
      if (error instanceof DiscoveryError) return Object.freeze({ file, controllers: [], error });
      throw error;
    }
  };
  try {
    return await Promise.all(files.map(look));
  } finally {
    stop();
  }
}

/** @throws {DiscoveryError} 500, when the file declares a controller, which would be lost. */
function leaveAlone(file: string, blocker: string): readonly [] {
  if (DECLARES_CONTROLLER.test(readFileSync(file, 'utf8'))) {
    const what =
      blocker === file ? 'the file' : `the file imports ${describePlace(blocker)}, which`;
    throw new DiscoveryError(file, {
      problem: `${what} is the module that starts the application and is still being evaluated, so its controllers cannot be imported.`,
      fix: 'move them to a file that does not import it.',
    });
  }
  return [];
}
