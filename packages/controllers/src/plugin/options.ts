import { createRouter, type Router } from '@fairlead/core';
import type { Constructor, ContainerInterface } from '@fairlead/di';
import {
  boolean,
  hasMethods,
  isIntended,
  type Kinds,
  kind,
  markIntended,
  object,
} from '@fairlead/options';
import {
  findForeignRouter,
  findSharedErrors,
  ROUTER,
  SHARED_OPTIONS,
} from '../definition/shared-options.js';
import { DISCOVERY_OPTIONS } from '../discovery/find-files.js';
import type { ControllerError } from '../errors/controller-error.js';
import { optionError } from '../errors/option-errors.js';
import type { Guard, InterceptorReference, MiddlewareReference } from '../metadata/references.js';

/** Receives the plugin's log messages. */
export interface PluginLogger {
  /** Logs discovery and registration. Only called with `debug: true`. */
  debug(message: string): void;
  /** Logs problems that do not stop the startup. */
  warn(message: string): void;
}

/** Options of `controllersPlugin`. */
export interface ControllersPluginOptions {
  /** Router on which the routes are registered. The application mounts it. */
  readonly router: Router;
  /**
   * Directory to scan for controllers: a path, relative to the working directory, or a `file:` URL.
   * Default: none.
   */
  readonly root?: string | URL;
  /** Globs of the files to import, relative to root. Default: every `.ts` and `.js` file. */
  readonly include?: readonly string[];
  /**
   * Globs of the files to ignore, relative to root. Default: tests, `node_modules`, `dist` and
   * `__tests__`.
   */
  readonly exclude?: readonly string[];
  /** Whether a file that cannot be imported stops the startup. Default: false, which logs a warning. */
  readonly strict?: boolean;
  /** Leading path of every controller. Default: none. */
  readonly prefix?: string;
  /**
   * Run before the guards of every route, after all middleware: functions, classes, or container tokens
   * for either. Default: none.
   */
  readonly guards?: readonly Guard[];
  /**
   * Runs before the middleware of every route: functions, classes, or container tokens for either.
   * Default: none.
   */
  readonly middleware?: readonly MiddlewareReference[];
  /**
   * Wrap the interceptors of every route: functions, classes, or container tokens for either. Default:
   * none.
   */
  readonly interceptors?: readonly InterceptorReference[];
  /**
   * Resolves controllers, guards, middleware and interceptors. Default: the global container, whose
   * singletons all applications of the process share. Create one container per application.
   */
  readonly container?: ContainerInterface;
  /**
   * Whether to dispose the container when the application closes or the installation fails. Default:
   * true for a container that you pass, false for the global container. Pass false for a container that
   * outlives the application.
   */
  readonly disposeContainer?: boolean;
  /** Whether to log discovery and registration. Default: false. */
  readonly debug?: boolean;
  /** Receives log messages. Default: stderr. */
  readonly logger?: PluginLogger;
  /**
   * Controllers to register in addition to discovered ones.
   *
   * @deprecated Set `root`, or call `registerController` for a single class.
   */
  readonly controllers?: readonly Constructor[];
}

/** The options of `controllersPlugin`, and what they accept. */
const PLUGIN_OPTIONS: Kinds<ControllersPluginOptions> = {
  router: ROUTER,
  ...DISCOVERY_OPTIONS,
  ...SHARED_OPTIONS,
  strict: boolean,
  disposeContainer: boolean,
  debug: boolean,
  logger: kind('an object with the methods debug and warn', hasMethods('debug', 'warn')),
  controllers: kind('an array of classes', Array.isArray),
};

/**
 * Finds everything that is wrong with the options of `controllersPlugin`.
 *
 * @param options - What the caller passed.
 * @returns One error `INVALID_OPTION` per problem. Empty when the options are valid.
 */
export function checkPluginOptions(
  options: ControllersPluginOptions | undefined,
): readonly ControllerError[] {
  const call = 'controllersPlugin()';
  if (ROUTER.accepts(options)) {
    return [optionError(`${call} cannot use a router as options. Pass { router }.`)];
  }
  const errors = findSharedErrors(call, options, PLUGIN_OPTIONS);
  if (options === undefined || (object.accepts(options) && options.router === undefined)) {
    errors.unshift(optionError(`${call} needs a router. Pass ${ROUTER.description}.`));
  }
  const foreign = findForeignRouter(call, Object(options).router);
  return foreign === undefined ? errors : [...errors, foreign];
}

/**
 * Returns the options that {@link checkPluginOptions} accepts, so that the startup can look for other
 * problems. Without a router, it is a new one.
 */
export function usableOptions(
  options: ControllersPluginOptions | undefined,
): ControllersPluginOptions {
  const given = object.accepts(options) ? { ...options } : {};
  const usable = Object.entries(PLUGIN_OPTIONS)
    .map(([name, { accepts }]) => [name, Reflect.get(given, name), accepts] as const)
    .filter(([, value, accepts]) => value !== undefined && accepts(value));
  const created = { router: createRouter(), ...Object.fromEntries(usable) };
  return isIntended(options) ? markIntended(created) : created;
}
