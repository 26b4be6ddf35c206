import type { Constructor } from '@fairlead/di';
import { discover } from '../discovery/discover-controllers.js';
import { getControllersFromResults, getErrorsFromResults } from '../discovery/discovery-result.js';
import { rootPath } from '../discovery/find-files.js';
import { ControllerError } from '../errors/controller-error.js';
import { StartError, throwProblems } from '../errors/start-error.js';
import type { Assembly } from '../registry/assemble-routes.js';
import { toAssembly } from '../registry/build-routes.js';
import { ControllerRegistry } from '../registry/controller-registry.js';
import type { ControllerDefinition, RegisteredController } from '../registry/definition.js';
import {
  assembleController,
  findProblems,
  registerRoutes,
} from '../registry/register-controller.js';
import { requiredTokens } from '../registry/required-tokens.js';
import type { PluginLogger } from './plugin-log.js';
import type { ControllersPluginOptions } from './plugin-options.js';

/** Classes that were found, and what went wrong while they were looked for. */
interface Found {
  readonly classes: readonly Constructor[];
  readonly problems: readonly Error[];
}

/**
 * Discovers, registers, builds, and registers routes. Nothing is registered on the router unless
 * everything can be.
 *
 * @param pending - Real paths of modules that are being evaluated.
 * @throws {ControllerError} 500, for a single problem; {@link StartError} for several.
 */
export async function start(
  options: ControllersPluginOptions,
  pending: ReadonlySet<string>,
  log: PluginLogger,
): Promise<readonly RegisteredController[]> {
  const found = await findControllers(options, pending, log);
  const { definitions, problems } = defineAll(found.classes);
  const { prefix = '', middleware = [], container } = options;
  const assembly = toAssembly({
    prefix,
    middleware,
    warn: log.warn,
    ...(container === undefined ? {} : { container }),
  });
  throwProblems([
    ...found.problems,
    ...problems,
    ...findProblems(options.router, definitions, assembly),
  ]);
  await assembly.instances.initialize(requiredTokens(definitions, middleware));
  const controllers = assembleAll(definitions, assembly);
  for (const { name, routes } of controllers) {
    registerRoutes(options.router, routes);
    log.debug(`registered ${name}`);
    for (const { method, path } of routes) log.debug(`${method} ${path}`);
  }
  return controllers;
}

async function findControllers(
  { root, include, exclude, strict = false, controllers = [] }: ControllersPluginOptions,
  pending: ReadonlySet<string>,
  log: PluginLogger,
): Promise<Found> {
  if (root === undefined) {
    if (controllers.length === 0) log.warn('no controllers to register: set root');
    return { classes: [...new Set(controllers)], problems: [] };
  }
  log.debug(`discovering controllers in ${rootPath(root)}`);
  const globs = { ...(include && { include }), ...(exclude && { exclude }) };
  const results = await discover({ root, ...globs }, pending);
  for (const { file, controllers: classes } of results) {
    for (const { name } of classes) log.debug(`discovered ${name} in ${file}`);
  }
  const discovered = getControllersFromResults(results);
  const errors = getErrorsFromResults(results);
  if (!strict) for (const error of errors) log.warn(error.message);
  if (discovered.length === 0) log.warn(`no controllers found in ${rootPath(root)}`);
  return {
    classes: [...new Set([...controllers, ...discovered])],
    problems: strict ? errors : [],
  };
}

/** Makes the definition of each class, and collects what is wrong with them. */
function defineAll(classes: readonly Constructor[]): {
  readonly definitions: readonly ControllerDefinition[];
  readonly problems: readonly Error[];
} {
  const registry = new ControllerRegistry();
  const problems = classes.flatMap((target) => attempt(() => registry.register(target)).problems);
  return { definitions: registry.all, problems };
}

/** Builds every controller, or throws what all of them have failed with. */
function assembleAll(
  definitions: readonly ControllerDefinition[],
  assembly: Assembly,
): readonly RegisteredController[] {
  const attempts = definitions.map((definition) =>
    attempt(() => assembleController(definition, assembly)),
  );
  throwProblems(attempts.flatMap(({ problems }) => problems));
  return attempts.flatMap(({ value }) => value ?? []);
}

function attempt<T>(run: () => T): { readonly value?: T; readonly problems: readonly Error[] } {
  try {
    return { value: run(), problems: [] };
  } catch (error) {
    if (error instanceof StartError) return { problems: error.problems };
    if (error instanceof ControllerError) return { problems: [error] };
    throw error;
  }
}
