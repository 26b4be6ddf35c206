import { inspect } from 'node:util';
import type { Application, Plugin } from '@fairlead/core';
import { container as globalContainer } from '@fairlead/di';
import { captureCallSite, isIntended } from '@fairlead/options';
import { throwProblems } from '../errors.js';
import {
  type ControllersPluginOptions,
  checkPluginOptions,
  type PluginLogger,
  usableOptions,
} from '../options.js';
import type { RegisteredController } from '../routes/build-routes.js';
import { findMountProblems, findUnpreparedGuards, mountedRoutesOf } from './check-mounted.js';
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
  const call = captureCallSite(controllersPlugin);
  const usable = usableOptions(options);
  const { debug = false, logger = STDERR_LOGGER, container = globalContainer } = usable;
  const { disposeContainer = container !== globalContainer } = usable;
  const log: PluginLogger = {
    debug: (message) => {
      if (debug) logger.debug(`[controllers] ${message}`);
    },
    warn: (message) => logger.warn(`[controllers] ${message}`),
  };
  const close = async (): Promise<void> => {
    if (disposeContainer) await container[Symbol.asyncDispose]?.();
  };
  let state = createState([], false);
  return {
    name: 'controllers',
    get state() {
      return state;
    },
    async install(app) {
      try {
        const registered = await start(app, usable, checkPluginOptions(options), log, call);
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
      const mounted = mountedRoutesOf(app);
      throwProblems(findMountProblems(mounted, state.controllers, usable.router, log.warn));
      if (isIntended(usable.guards)) return;
      for (const message of findUnpreparedGuards(mounted, state.controllers)) log.warn(message);
    },
    close,
  };
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
