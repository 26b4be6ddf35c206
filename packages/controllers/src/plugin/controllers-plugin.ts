import type { Application, Plugin } from '@fairlead/core';
import { throwProblems } from '../errors/start-error.js';
import { findMountProblems } from './check-mounted.js';
import { createPluginLog, STDERR_LOGGER } from './plugin-log.js';
import type { ControllersPluginOptions } from './plugin-options.js';
import { INITIAL_STATE, installedState, type PluginState } from './plugin-state.js';
import { start } from './start.js';

/** The plugin that `app.plugin` installs. */
export interface ControllersPlugin extends Plugin {
  /** What is registered; a new frozen value after `install`. */
  readonly state: PluginState;
  /**
   * Discovers controllers and registers their routes.
   *
   * @throws {ControllerError} 500, when a controller, guard, middleware or route cannot work: a
   *   single problem as itself, several as one {@link StartError}. Nothing is registered then.
   */
  install(): Promise<void>;
  /**
   * Checks what depends on where the router is mounted: that it is, and that the patterns of the
   * routes have the parameters which `@Param()` names.
   *
   * @param app - With everything registered.
   * @throws {ControllerError} 500, as `install` does.
   */
  ready(app: Application): void;
}

/**
 * Makes the plugin that serves classes with `@Controller()`.
 *
 * @param options - The router, and where the controllers are.
 * @returns A plugin to be installed with `await app.plugin(plugin)`.
 */
export function controllersPlugin(options: ControllersPluginOptions): ControllersPlugin {
  const { debug = false, logger = STDERR_LOGGER } = options;
  const log = createPluginLog(logger, debug);
  let state = INITIAL_STATE;
  return {
    name: 'controllers',
    get state() {
      return state;
    },
    async install() {
      state = installedState(await start(options, log));
      log.debug(`registered ${state.routeCount} ${state.routeCount === 1 ? 'route' : 'routes'}`);
    },
    ready(app) {
      throwProblems(findMountProblems(app, state.controllers));
    },
  };
}
