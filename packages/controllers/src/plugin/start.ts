import { type Constructor, describeToken } from '@fairlead/di';
import { type ControllerDefinition, defineController } from '../definition/definition.js';
import { ControllerError } from '../errors/controller-error.js';
import { StartError, throwProblems } from '../errors/startup-errors.js';
import { requiredTokens } from '../instances/instances.js';
import { undiscovered } from '../metadata/undiscovered.js';
import { type BuildContext, createBuildContext } from '../routes/build-routes.js';
import {
  buildController,
  findProblems,
  type RegisteredController,
  registerRoutes,
} from '../routes/register-controller.js';
import { findControllers } from './find-controllers.js';
import { type ControllersPluginOptions, checkPluginOptions, type PluginLogger } from './options.js';

/**
 * Discovers and checks controllers, then builds and registers their routes. Registers nothing if there
 * is a problem.
 *
 * @throws {ControllerError} 500, for a single problem; {@link StartError} for several.
 */
export async function start(
  options: ControllersPluginOptions,
  log: PluginLogger,
): Promise<readonly RegisteredController[]> {
  throwProblems(checkPluginOptions(options));
  const { root, controllers: listed = [] } = options;
  if (root === undefined && listed.length === 0) log.warn('no controllers to register: set root');
  const discovery = await findControllers(options, log);
  for (const target of discovery.classes) undiscovered.delete(target);
  const attempts = discovery.classes.map((target) => attempt(() => defineController(target)));
  const definitions = attempts.flatMap(({ value }) => value ?? []);
  const context = createBuildContext({ ...options, warn: log.warn });
  const eager = [...context.instances.eagerTokens(), ...discovery.services];
  const tokens = requiredTokens(definitions, context.shared, eager);
  throwProblems([
    ...discovery.problems,
    ...attempts.flatMap(({ problems }) => problems),
    ...findProblems(options.router, definitions, context, tokens),
  ]);
  warnOfHooks(context.instances.classesOf([...tokens.keys()]), log);
  await context.instances.initialize(tokens);
  const controllers = buildControllers(definitions, context);
  for (const { name, routes } of controllers) {
    registerRoutes(options.router, routes);
    log.debug(`registered ${name}`);
    for (const { method, path } of routes) log.debug(`${method} ${path}`);
  }
  return controllers;
}

/** Builds all controllers, or throws all of their problems. */
function buildControllers(
  definitions: readonly ControllerDefinition[],
  context: BuildContext,
): readonly RegisteredController[] {
  const attempts = definitions.map((definition) =>
    attempt(() => buildController(definition, context)),
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

/** Returns the problems that an error of this package reports. Rethrows any other error. */
function problemsOf(error: unknown): readonly Error[] {
  if (error instanceof StartError) return error.problems;
  if (error instanceof ControllerError) return [error];
  throw error;
}

/** Lifecycle methods that another framework calls. */
const HOOKS = [
  'onModuleInit',
  'onApplicationBootstrap',
  'onModuleDestroy',
  'beforeApplicationShutdown',
  'onApplicationShutdown',
] as const;

/** Warns once of all lifecycle methods that nothing will call. */
function warnOfHooks(classes: readonly Constructor[], log: PluginLogger): void {
  const found = classes.flatMap((target) =>
    HOOKS.filter((hook) => hook in target.prototype).map(
      (hook) => `${describeToken(target)}.${hook}()`,
    ),
  );
  if (found.length === 0) return;
  const fix =
    'do startup work in the constructor or in an asynchronous factory, with eager: true if nothing depends on the class. Release resources in [Symbol.asyncDispose]() or [Symbol.dispose](), which app.close() calls.';
  log.warn(`nothing calls the lifecycle methods ${found.join(', ')}.\n  Fix: ${fix}`);
}
