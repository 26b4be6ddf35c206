import type { Constructor } from '@fairlead/di';
import {
  discoverControllers,
  getControllersFromResults,
  getErrorsFromResults,
} from '../discovery/discover-controllers.js';
import { rootPath } from '../discovery/find-files.js';
import { ControllerError } from '../errors/controller-error.js';
import { StartError, throwProblems } from '../errors/start-error.js';
import type { Assembly } from '../registry/assemble-routes.js';
import { toAssembly } from '../registry/build-routes.js';
import { defineController } from '../registry/define-controller.js';
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
 * @throws {ControllerError} 500, for a single problem; {@link StartError} for several.
 */
export async function start(
  options: ControllersPluginOptions,
  log: PluginLogger,
): Promise<readonly RegisteredController[]> {
  const found = await findControllers(options, log);
  const attempts = found.classes.map((target) => attempt(() => defineController(target)));
  const definitions = attempts.flatMap(({ value }) => value ?? []);
  const { prefix = '', middleware = [], container, compileResponse } = options;
  const assembly = toAssembly({
    prefix,
    middleware,
    warn: log.warn,
    ...(container && { container }),
    ...(compileResponse && { compileResponse }),
  });
  throwProblems([
    ...found.problems,
    ...attempts.flatMap(({ problems }) => problems),
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
  options: ControllersPluginOptions,
  log: PluginLogger,
): Promise<Found> {
  const { root, controllers = [] } = options;
  if (root === undefined) {
    if (controllers.length === 0) log.warn('no controllers to register: set root');
    return { classes: [...new Set(controllers)], problems: [] };
  }
  try {
    const { classes, problems } = await discoverIn(root, options, log);
    return { classes: [...new Set([...controllers, ...classes])], problems };
  } catch (error) {
    return { classes: [...new Set(controllers)], problems: problemsOf(error) };
  }
}

async function discoverIn(
  root: string | URL,
  { include, exclude, strict = false }: ControllersPluginOptions,
  log: PluginLogger,
): Promise<Found> {
  log.debug(`discovering controllers in ${rootPath(root)}`);
  const globs = { ...(include && { include }), ...(exclude && { exclude }) };
  const results = await discoverControllers({ root, ...globs });
  for (const { file, controllers } of results) {
    for (const { name } of controllers) log.debug(`discovered ${name} in ${file}`);
  }
  const classes = getControllersFromResults(results);
  const errors = getErrorsFromResults(results);
  if (!strict) for (const error of errors) log.warn(error.message);
  if (classes.length === 0) log.warn(`no controllers found in ${rootPath(root)}`);
  return { classes, problems: strict ? errors : [] };
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
    return { problems: problemsOf(error) };
  }
}

/** The problems that an error stands for; one that is not of this package is thrown on. */
function problemsOf(error: unknown): readonly Error[] {
  if (error instanceof StartError) return error.problems;
  if (error instanceof ControllerError) return [error];
  throw error;
}
