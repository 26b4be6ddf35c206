import { inspect } from 'node:util';
import type { Application, Plugin } from '@fairlead/core';
import { describeFactories, registrationsOf } from '@fairlead/core/extend';
import {
  type Constructor,
  describeToken,
  container as globalContainer,
  type Token,
} from '@fairlead/di';
import { captureCaller, isIntended, type Locate, locatorOf } from '@fairlead/options';
import { mountedRoutesOf } from '../checks/mounted.js';
import { findDoubts, findMistakes } from '../checks/rules.js';
import type { RegisteredController } from '../definition/built-route.js';
import { definitionOf } from '../definition/definition.js';
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
import { isController } from '../discovery/lost-classes.js';
import {
  attempt,
  DiscoveryError,
  errorText,
  listNames,
  published,
  throwProblems,
} from '../errors.js';
import { type Requirement, requiredTokens } from '../instances/instances.js';
import { undiscovered } from '../metadata/class-metadata.js';
import { NO_GUARDS } from '../metadata/references.js';
import {
  type ControllersPluginOptions,
  checkPluginOptions,
  type PluginLogger,
  usableOptions,
} from '../options.js';
import { type BuildContext, buildController, createBuildContext } from '../routes/build-routes.js';
import { findProblems, registerControllers } from '../routes/register-controller.js';

/** The controllers that the plugin has registered: a frozen value, which `install` replaces. */
export interface PluginState {
  /** The registered controllers, in the order of registration. */
  readonly controllers: readonly RegisteredController[];
  /** Number of routes; `@All()` counts as one. */
  readonly routeCount: number;
  /** Whether the plugin is installed. */
  readonly initialized: boolean;
}

/** The plugin to pass to `app.plugin`. */
export interface ControllersPlugin extends Plugin {
  /** The registered controllers; a new frozen value after `install`. */
  readonly state: PluginState;
  /**
   * Discovers controllers and registers their routes.
   *
   * @param app - Its problems are reported together with those of the plugin.
   * @throws {ControllerError} 500, when a controller, guard, middleware or route cannot work. Throws a single
   *   problem as is, and several as one {@link StartError}. Then nothing is registered, and the container is
   *   disposed as by {@link close}.
   */
  install(app: Application): Promise<void>;
  /**
   * Checks that the mounted patterns have every parameter that `@Param()` names. Warns if the router is not
   * mounted.
   *
   * @param app - With all routes registered.
   * @throws {ControllerError} 500, like `install`.
   */
  ready(app: Application): void;
  /** Disposes the container, unless `disposeContainer` is false or it is the global container. */
  close(): Promise<void>;
}

const STDERR_LOGGER: PluginLogger = Object.freeze({
  debug: (message: string) => console.error(message),
  warn: (message: string) => console.warn(message),
});

/**
 * Creates the plugin that serves classes with `@Controller()`.
 *
 * @param options - The router, and where the controllers are.
 * @returns A plugin to install with `await app.plugin(plugin)`.
 */
export function controllersPlugin(options: ControllersPluginOptions): ControllersPlugin {
  // With createTestApp(), the call of the test.
  const locate = locatorOf(options) ?? captureCaller(controllersPlugin);
  const usable = usableOptions(options);
  const { debug = false, logger = STDERR_LOGGER, container = globalContainer } = usable;
  const { disposeContainer = container !== globalContainer } = usable;
  const log: PluginLogger = {
    debug: (message) => {
      if (debug) logger.debug(`[controllers] ${message}`);
    },
    warn: published((message) => logger.warn(`[controllers] ${message}`)),
  };
  let application: Application | undefined;
  const close = async (): Promise<void> => {
    if (application !== undefined) disposers.get(container)?.delete(application);
    if (disposeContainer) await container[Symbol.asyncDispose]?.();
  };
  let state = createState([], false);
  return {
    name: 'controllers',
    get state() {
      return state;
    },
    async install(app) {
      application = app;
      if (disposeContainer && !isIntended(options)) warnOfSharing(container, app, log, locate);
      try {
        const registered = await start(app, usable, checkPluginOptions(options), log, locate);
        state = createState(registered, true);
      } catch (error) {
        await close().catch((reason) =>
          log.warn(`disposing the container failed: ${inspect(reason)}`),
        );
        throw error;
      }
      log.debug(`registered ${state.routeCount} ${state.routeCount === 1 ? 'route' : 'routes'}`);
    },
    ready(app) {
      const { router, guards = NO_GUARDS } = usable;
      const mounted = mountedRoutesOf(app);
      const subject = { controllers: state.controllers, router, guards, mounted };
      for (const text of findDoubts('mounted', subject)) log.warn(text);
      throwProblems(findMistakes('mounted', subject));
      for (const text of findDoubts('guarded', subject)) log.warn(text);
    },
    close,
  };
}

/** The open applications that dispose a container when they close. */
const disposers = new WeakMap<object, Set<Application>>();

/** Warns about an application that disposes a container which another one still uses. */
function warnOfSharing(
  container: object,
  app: Application,
  log: PluginLogger,
  locate: Locate,
): void {
  const known = disposers.get(container) ?? new Set<Application>();
  disposers.set(container, known.add(app));
  if (known.size < 2) return;
  const title =
    'two applications dispose the same container, so that the other one fails when one closes.';
  const fix =
    'create a container for each, or pass disposeContainer: false to one of the plugins. If they close together, pass the options to intended().';
  log.warn(errorText(title, fix, locate()));
}

function createState(
  controllers: readonly RegisteredController[],
  initialized: boolean,
): PluginState {
  return Object.freeze({
    controllers: Object.freeze([...controllers]),
    routeCount: controllers.reduce((count, { routes }) => count + routes.length, 0),
    initialized,
  });
}

/**
 * Discovers and checks controllers, then builds and registers their routes. Registers nothing if there
 * is a problem. A problem does not end the search for others, of this plugin and of the application.
 *
 * @param options - Without those that are not valid, whose problems are `optionProblems`.
 */
async function start(
  app: Application,
  options: ControllersPluginOptions,
  optionProblems: readonly Error[],
  log: PluginLogger,
  locate: Locate,
): Promise<readonly RegisteredController[]> {
  const { root, router, controllers: listed = [] } = options;
  if (root === undefined && listed.length === 0 && optionProblems.length === 0) {
    if (!isIntended(options))
      log.warn('no controllers to register: set root, or pass the options to intended()');
  }
  const found = await findControllers(options, log, locate);
  for (const target of found.classes) undiscovered.delete(target);
  const attempts = found.classes.map((target) => attempt(() => definitionOf(target)));
  const definitions = attempts.flatMap(({ value }) => value ?? []);
  const context = createBuildContext(options, log.warn);
  const { instances, prefix } = context;
  const eager = [...(instances.container.eagerTokens?.() ?? []), ...found.services];
  const tokens = requiredTokens(definitions, context.shared, eager);
  for (const controller of found.classes.filter(isController)) {
    // A controller without a definition has problems, but its dependencies may have others.
    const description = `the controller ${describeToken(controller)}`;
    if (!tokens.has(controller)) tokens.set(controller, { description, controller });
  }
  const problems: Error[] = [
    ...optionProblems,
    ...found.problems,
    ...attempts.flatMap((result) => result.problems),
    ...findProblems(router, definitions, context, tokens),
    ...findMistakes('placed', { definitions, prefix, mounts: undefined }),
  ];
  const classes = instances.classesOf([...tokens.keys()]);
  const doubts = [
    ...findDoubts('application', definitions),
    ...definitions.flatMap((one) => findDoubts('controller', one)),
    ...findDoubts('classes', classes),
  ];
  for (const text of doubts) log.warn(text);
  problems.push(...(await buildInstances(context, tokens, problems, log)));
  const controllers = definitions.map((definition) => buildController(definition, context));
  problems.push(...context.problems.values());
  if (problems.length > 0) {
    const registered = registrationsOf(app, router);
    const likely = findMistakes('placed', { definitions, prefix, mounts: registered.prefixes });
    throwProblems([...problems, ...likely, ...registered.problems], locate);
  }
  for (const { name, routes } of registerControllers(router, controllers, context)) {
    log.debug(`registered ${name}`);
    for (const { method, path } of routes) log.debug(`${method} ${path}`);
  }
  return controllers;
}

/** Milliseconds after which a warning names the factories that have not settled. */
const SLOW_FACTORY = 10_000;

/** Cloudflare Workers refuse timers during the startup, and end one that does not settle. */
const MAY_SET_TIMERS = globalThis.navigator?.userAgent !== 'Cloudflare-Workers';

/**
 * Builds all shared instances. If a factory does not settle, a warning names it, together with the
 * problems that the startup would report after it.
 */
async function buildInstances(
  { instances }: BuildContext,
  tokens: ReadonlyMap<Token, Requirement>,
  known: readonly Error[],
  log: PluginLogger,
): Promise<readonly Error[]> {
  let hasWarned = false;
  const warn = (reason: string): void => {
    const pending = (instances.container.pendingTokens?.() ?? []).map(describeToken);
    if (hasWarned || pending.length === 0) return;
    hasWarned = true;
    const fix = 'make its factory settle, for example with a timeout.';
    log.warn(`still waiting for ${listNames(pending)} ${reason}.\n  Fix: ${fix}`);
    for (const { message } of known) log.warn(`the startup will fail: ${message}`);
  };
  const timer = MAY_SET_TIMERS
    ? setTimeout(warn, SLOW_FACTORY, `after ${SLOW_FACTORY / 1_000} seconds`).unref()
    : undefined;
  // Node then exits without naming the factory.
  const onIdle = (): void => warn('although the process has nothing else to do');
  process.once('beforeExit', onIdle);
  try {
    return await instances.build(tokens);
  } finally {
    clearTimeout(timer);
    process.removeListener('beforeExit', onIdle);
  }
}

/** What a plugin registers, and the problems of finding it. */
interface FoundControllers {
  readonly classes: readonly Constructor[];
  readonly services: readonly Constructor[];
  readonly problems: readonly Error[];
}

/** Finds the controllers of a plugin: those of the option `controllers`, then discovered ones. */
async function findControllers(
  options: ControllersPluginOptions,
  log: PluginLogger,
  locate: Locate,
): Promise<FoundControllers> {
  const { root, include, exclude, strict = false, controllers = [] } = options;
  const listed = { classes: [...new Set(controllers)], services: [], problems: [] };
  if (root === undefined) return listed;
  log.debug(`discovering controllers in ${rootPath(root)}`);
  const discovery = { root, ...(include && { include }), ...(exclude && { exclude }) };
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
  const isExplained = problems.length > 0 || lost.length > 0 || isIntended(options);
  if (classes.length === 0 && !isExplained) await warnOfNone(discovery, results, log);
  if (skipped.length > 0) log.warn(describeSkipped(skipped.length, results.length));
  const services = results.flatMap((result) => result.services);
  return { classes: [...new Set([...controllers, ...classes])], services, problems };
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

describeFactories(controllersPlugin);
