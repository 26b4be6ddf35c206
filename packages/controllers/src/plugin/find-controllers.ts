import type { Constructor } from '@fairlead/di';
import type { Locate } from '@fairlead/options';
import {
  type DiscoveryResult,
  getControllersFromResults,
  importControllers,
} from '../discovery/discover-controllers.js';
import {
  type DiscoveryOptions,
  explainNoFiles,
  findFiles,
  rootPath,
} from '../discovery/find-files.js';
import { isFrameworkError, mergeImportErrors } from '../discovery/import-file.js';
import { DiscoveryError } from '../errors.js';
import type { ControllerSources, PluginLogger } from '../options.js';

/** What a plugin registers, and the problems of finding it. */
interface FoundControllers {
  readonly classes: readonly Constructor[];
  readonly services: readonly Constructor[];
  /** The files that were imported. */
  readonly files: readonly string[];
  readonly problems: readonly Error[];
}

/** Finds the controllers of a plugin: those of the option `controllers`, then discovered ones. */
export async function findControllers(
  { discovery, listed: controllers, strict, isIntended }: ControllerSources,
  log: PluginLogger,
  locate: Locate,
): Promise<FoundControllers> {
  const listed = { classes: [...new Set(controllers)], services: [], files: [], problems: [] };
  if (discovery === undefined) return listed;
  log.debug(`discovering controllers in ${rootPath(discovery.root)}`);
  const files = await findFiles(discovery, locate).catch(asProblem);
  if (files instanceof DiscoveryError) {
    if (strict) return { ...listed, problems: [files] };
    log.warn(files.message);
    return listed;
  }
  const results = await importControllers(files, { registered: controllers }).catch(asProblem);
  if (results instanceof DiscoveryError) return { ...listed, problems: [results] };
  for (const { file, controllers, services } of results) {
    for (const { name } of [...controllers, ...services])
      log.debug(`discovered ${name} in ${file}`);
  }
  const failed = results.flatMap(({ error }) => error ?? []);
  const isFatal = ({ cause }: DiscoveryError): boolean => strict || isFrameworkError(cause);
  const skipped = failed.filter((error) => !isFatal(error));
  const lost = results.flatMap((result) => result.lost ?? []);
  const problems = [...(await mergeImportErrors(failed.filter(isFatal))), ...(strict ? lost : [])];
  const classes = getControllersFromResults(results);
  for (const { message } of await mergeImportErrors(skipped)) log.warn(message);
  if (!strict) for (const { message } of lost) log.warn(message);
  const isExplained = problems.length > 0 || lost.length > 0 || isIntended;
  if (classes.length === 0 && !isExplained) await warnOfNone(discovery, results, log);
  if (skipped.length > 0) log.warn(describeSkipped(skipped.length, results.length));
  const services = results.flatMap((result) => result.services);
  return { classes: [...new Set([...controllers, ...classes])], services, files, problems };
}

function asProblem(error: unknown): DiscoveryError {
  if (error instanceof DiscoveryError) return error;
  throw error;
}

function describeSkipped(skipped: number, count: number): string {
  const [verb, routes] = skipped === 1 ? ['was', 'its routes'] : ['were', 'their routes'];
  return `${skipped} of ${count} files ${verb} skipped; ${routes} are not registered. Set strict: true to make the start fail instead.`;
}

async function warnOfNone(
  discovery: DiscoveryOptions,
  results: readonly DiscoveryResult[],
  log: PluginLogger,
): Promise<void> {
  const reason =
    results.length === 0
      ? await explainNoFiles(discovery)
      : `none of its files (${results.length}) exports a class with @Controller() or a result of defineController().`;
  const silence = 'If that is intended, pass the options to intended().';
  log.warn(`no controllers found in ${rootPath(discovery.root)}: ${reason} ${silence}`);
}
