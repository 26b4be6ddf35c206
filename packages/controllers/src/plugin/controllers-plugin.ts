import { inspect } from 'node:util';
import type { Application, Plugin } from '@fairlead/core';
import { describeFactories } from '@fairlead/core/extend';
import type { Constructor } from '@fairlead/di';
import { captureCaller, type Locate, locatorOf, printable } from '@fairlead/options';
import { mountedRoutesOf } from '../checks/mounted.js';
import { findDoubts, findMistakes } from '../checks/rules.js';
import type { RegisteredController } from '../definition/built-route.js';
import { errorText, published, throwProblems } from '../errors.js';
import { type ControllersPluginOptions, type PluginLogger, readPluginOptions } from '../options.js';
import { start } from './start.js';

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
  /** Disposes the container if `disposeContainer` is true, the default for one that was passed. */
  close(): Promise<void>;
}

/**
 * Creates the plugin that serves classes with `@Controller()`.
 *
 * @param options - The router, and where the controllers are.
 * @returns A plugin to install with `await app.plugin(plugin)`.
 */
export function controllersPlugin(options: ControllersPluginOptions): ControllersPlugin {
  // With createTestApp(), the call of the test.
  const locate = locatorOf(options) ?? captureCaller(controllersPlugin);
  const settings = readPluginOptions(options);
  const { problems, router, routing, versionIn, sources, disposesContainer, debug, logger } =
    settings;
  const { container, guards } = routing;
  const log: PluginLogger = {
    debug: (message) => {
      if (debug) logger.debug(`[controllers] ${message}`);
    },
    warn: published((message) => logger.warn(`[controllers] ${message}`)),
  };
  let application: Application | undefined;
  const close = async (): Promise<void> => {
    if (application !== undefined) disposers.get(container)?.delete(application);
    if (disposesContainer) await container[Symbol.asyncDispose]?.();
  };
  let state = createState([], false);
  return {
    name: 'controllers',
    get state() {
      return state;
    },
    async install(app) {
      application = app;
      if (disposesContainer && !sources.isIntended) warnOfSharing(container, app, log, locate);
      try {
        const parts = { problems, router, routing, versionIn, sources };
        const registered = await start(app, parts, log, locate);
        state = createState(registered, true);
      } catch (error) {
        await close().catch((reason) =>
          log.warn(`disposing the container failed: ${inspect(printable(reason))}`),
        );
        throw error;
      }
      log.debug(`registered ${state.routeCount} ${state.routeCount === 1 ? 'route' : 'routes'}`);
    },
    ready(app) {
      const mounted = mountedRoutesOf(app);
      const instancesOf = (controller: Constructor) => container.instancesOf?.([controller]) ?? [];
      const subject = {
        ...{ controllers: state.controllers, router, guards, mounted, instancesOf },
        routes: app.routes(),
      };
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

describeFactories(controllersPlugin);
