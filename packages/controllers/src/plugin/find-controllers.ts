import type { Constructor } from '@fairlead/di';
import { isIntended } from '@fairlead/options';
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
import { isFrameworkError, mergeImportErrors } from '../discovery/import-failure.js';
import { DiscoveryError } from '../errors/startup-errors.js';
import type { ControllersPluginOptions, PluginLogger } from './options.js';

/** The classes that a plugin registers, and the problems of finding them. */
export interface FoundControllers {
  readonly classes: readonly Constructor[];
  /** Eager services. */
  readonly services: readonly Constructor[];
  readonly problems: readonly Error[];
}

/** Finds the controllers of a plugin: those of the option `controllers`, then discovered ones. */
export async function findControllers(
  options: ControllersPluginOptions,
  log: PluginLogger,
): Promise<FoundControllers> {
  const { root, include, exclude, controllers = [] } = options;
  const classes = [...new Set(controllers)];
  if (root === undefined) return { classes, services: [], problems: [] };
  log.debug(`discovering controllers in ${rootPath(root)}`);
  const discovery = { root, ...(include && { include }), ...(exclude && { exclude }) };
  try {
    const found = await discoverIn(discovery, options, log);
    return { ...found, classes: [...new Set([...classes, ...found.classes])] };
  } catch (error) {
    if (!(error instanceof DiscoveryError)) throw error;
    return { classes, services: [], problems: [error] };
  }
}

/** @throws {DiscoveryError} 500, when root is missing and `strict` is set, or imports do not finish. */
async function discoverIn(
  discovery: DiscoveryOptions,
  options: ControllersPluginOptions,
  log: PluginLogger,
): Promise<FoundControllers> {
  const { strict = false, controllers = [] } = options;
  const files = await findFiles(discovery).catch((error: unknown) => {
    if (strict || !(error instanceof DiscoveryError)) throw error;
    log.warn(error.message);
  });
  if (files === undefined) return { classes: [], services: [], problems: [] };
  const results = await importControllers(files, { registered: controllers });
  for (const { file, controllers, services } of results) {
    for (const { name } of [...controllers, ...services])
      log.debug(`discovered ${name} in ${file}`);
  }
  const failed = results.flatMap(({ error }) => error ?? []);
  const isFatal = ({ cause }: DiscoveryError): boolean => strict || isFrameworkError(cause);
  const skipped = failed.filter((error) => !isFatal(error));
  const lost = results.flatMap((result) => result.lost ?? []);
  const problems = [...mergeImportErrors(failed.filter(isFatal)), ...(strict ? lost : [])];
  const classes = getControllersFromResults(results);
  for (const { message } of mergeImportErrors(skipped)) log.warn(message);
  if (!strict) for (const { message } of lost) log.warn(message);
  const isExplained = problems.length > 0 || lost.length > 0 || isIntended(options);
  if (classes.length === 0 && !isExplained) await warnOfNone(discovery, results, log);
  if (skipped.length > 0) log.warn(describeSkipped(skipped.length, results.length));
  return { classes, services: results.flatMap(({ services }) => services), problems };
}

function describeSkipped(skipped: number, count: number): string {
  const [verb, routes] = skipped === 1 ? ['was', 'its routes'] : ['were', 'their routes'];
  return `${skipped} of ${count} files ${verb} skipped; ${routes} are not registered. Set strict: true to stop the startup instead.`;
}

async function warnOfNone(
  discovery: DiscoveryOptions,
  results: readonly DiscoveryResult[],
  log: PluginLogger,
): Promise<void> {
  const reason =
    results.length === 0
      ? await explainNoFiles(discovery)
      : `none of its files (${results.length}) exports a class with @Controller().`;
  const silence = 'If that is intended, pass the options to intended().';
  log.warn(`no controllers found in ${rootPath(discovery.root)}: ${reason} ${silence}`);
}
