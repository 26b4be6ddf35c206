import { createRouter, Router } from '@fairlead/core';
import {
  type Constructor,
  type ContainerInterface,
  container as globalContainer,
} from '@fairlead/di';
import {
  boolean,
  explainOneCopy,
  findOptionProblems,
  fn,
  hasMethods,
  isIntended,
  type Kinds,
  kind,
  object,
  oneOf,
  string,
} from '@fairlead/options';
import { DISCOVERY_OPTIONS, type DiscoveryOptions } from './discovery/find-files.js';
import { type ControllerError, errorText, optionError } from './errors.js';
import { findListProblems, NO_GUARDS, type SharedReferences } from './metadata/references.js';

/** Options of `buildRoutes` and `registerController`. */
export interface BuildRoutesOptions extends Partial<SharedReferences> {
  /** Precedes the path of each route; empty by default. */
  readonly prefix?: string;
  /**
   * Resolves controllers, guards, middleware and interceptors. Default: the global container, whose
   * singletons all applications of the process share. Create one container per application.
   */
  readonly container?: ContainerInterface;
  /**
   * Where the version of a controller is: a segment of its paths, or what requests name as the option `versions` of
   * `createApp()` tells. `'path'` by default, or in the plugin `'request'` for an application with that option.
   */
  readonly versionIn?: 'path' | 'request';
  /** Called with warnings, and when disposing a request scope fails; `console.warn` by default. */
  readonly warn?: (message: string) => void;
}

/** Receives the plugin's log messages. */
export interface PluginLogger {
  /** Logs discovery and registration. Only called with `debug: true`. */
  debug(message: string): void;
  /** Logs problems that do not make the start fail. */
  warn(message: string): void;
}

/** Options of `controllersPlugin`. Without `root`, it discovers nothing. */
export interface ControllersPluginOptions
  extends Omit<BuildRoutesOptions, 'warn'>,
    Partial<DiscoveryOptions> {
  /** Router on which the routes are registered. The application mounts it. */
  readonly router: Router;
  /**
   * Whether the start fails when the root is missing, a file cannot be imported, or routes of a class would be missing.
   * Default: false, which logs a warning. Errors of Fairlead in a file always fail it.
   */
  readonly strict?: boolean;
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

const list = kind('an array of functions, classes and tokens', Array.isArray);

const isContainer = hasMethods('resolve');

const SHARED_OPTIONS = {
  prefix: string,
  guards: list,
  middleware: list,
  interceptors: list,
  versionIn: oneOf('path', 'request'),
  container: kind(
    'an object with a resolve() method, such as the result of createContainer()',
    isContainer,
  ),
};

const BUILD_OPTIONS: Kinds<BuildRoutesOptions> = { ...SHARED_OPTIONS, warn: fn };

/** A router of core, or of another copy of it. An application has no rules. */
export const ROUTER = kind(
  "a router from createRouter(), mounted with app.route('/', router)",
  (value) => hasMethods('on')(value) && typeof Object(value).rules === 'object',
);

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

export function checkBuildOptions(call: string, options: BuildRoutesOptions): ControllerError[] {
  return findErrors(call, options, BUILD_OPTIONS);
}

export function checkPluginOptions(
  options: ControllersPluginOptions | undefined,
): readonly ControllerError[] {
  const call = 'controllersPlugin()';
  if (ROUTER.accepts(options)) {
    return [optionError(`${call} cannot use a router as options. Pass { router }.`)];
  }
  const errors = findErrors(call, options, PLUGIN_OPTIONS);
  if (options === undefined || (object.accepts(options) && options.router === undefined)) {
    errors.unshift(optionError(`${call} needs a router. Pass ${ROUTER.description}.`));
  }
  const foreign = findForeignRouter(call, Object(options).router);
  return foreign === undefined ? errors : [...errors, foreign];
}

/** Where a plugin finds its controllers. */
export interface ControllerSources {
  /** Undefined without `root`. */
  readonly discovery: DiscoveryOptions | undefined;
  /** The option `controllers`. */
  readonly listed: readonly Constructor[];
  readonly strict: boolean;
  /** Whether it is intended that there are none. */
  readonly isIntended: boolean;
}

/** The options of a plugin with their defaults, in the parts that the steps of the startup need. */
export interface PluginSettings {
  /** What is wrong with the options. Those that are not valid count as absent, so that the startup can look for more. */
  readonly problems: readonly ControllerError[];
  /** A new one if it is absent. */
  readonly router: Router;
  readonly routing: Required<Omit<BuildRoutesOptions, 'warn' | 'versionIn'>>;
  /** Undefined for what the application determines. */
  readonly versionIn: BuildRoutesOptions['versionIn'];
  readonly sources: ControllerSources;
  readonly disposesContainer: boolean;
  readonly debug: boolean;
  readonly logger: PluginLogger;
}

const STDERR_LOGGER: PluginLogger = Object.freeze({
  debug: (message: string) => console.error(message),
  warn: (message: string) => console.warn(message),
});

/** Reads and checks the options of a plugin. */
export function readPluginOptions(options: ControllersPluginOptions | undefined): PluginSettings {
  const problems = checkPluginOptions(options);
  const given: Partial<ControllersPluginOptions> = object.accepts(options) ? { ...options } : {};
  for (const [name, { accepts }] of Object.entries(PLUGIN_OPTIONS)) {
    if (!accepts(Reflect.get(given, name))) Reflect.deleteProperty(given, name);
  }
  const { root, include, exclude, strict = false, controllers: listed = [] } = given;
  const { prefix = '', guards = NO_GUARDS, middleware = [], interceptors = [] } = given;
  const { router = createRouter(), container = globalContainer, versionIn } = given;
  const { disposeContainer = container !== globalContainer } = given;
  const { debug = false, logger = STDERR_LOGGER } = given;
  const globs = { ...(include && { include }), ...(exclude && { exclude }) };
  const discovery = root === undefined ? undefined : { root, ...globs };
  return {
    problems,
    router,
    routing: { prefix, guards, middleware, interceptors, container },
    versionIn,
    sources: { discovery, listed, strict, isIntended: isIntended(options) },
    disposesContainer: disposeContainer,
    debug,
    logger,
  };
}

/** Explains that a router belongs to another copy of core, whose requests this package cannot read. */
export function findForeignRouter(call: string, router: unknown): ControllerError | undefined {
  if (router instanceof Router || !ROUTER.accepts(router)) return undefined;
  const title = `${call} cannot use the router: it belongs to a different copy of @fairlead/core than the one that @fairlead/controllers uses.`;
  return optionError(errorText(title, explainOneCopy('@fairlead/core')));
}

/** Options of `createApp()` for the schemas of all routes. */
const OF_APPLICATIONS = ['compileResponse', 'checkResponses', 'responses', 'validationStatus'];

/** Explains where an option belongs, if a problem is that it is unknown. */
function explainUnknown(call: string, problem: string): string {
  const unknown = OF_APPLICATIONS.map((name) => `${call} has no option '${name}'.`).find((text) =>
    problem.startsWith(text),
  );
  return unknown === undefined ? problem : `${unknown} Pass it to createApp().`;
}

/** Finds what is wrong with options, and with single guards, middleware and interceptors among them. */
function findErrors<Options extends BuildRoutesOptions>(
  call: string,
  options: Options | undefined,
  kinds: Kinds<Options>,
): ControllerError[] {
  if (isContainer(options)) {
    return [optionError(`${call} cannot use a container as options. Pass { container }.`)];
  }
  const problems = findOptionProblems(call, options, kinds).map((one) => explainUnknown(call, one));
  const references = findListProblems(call, options);
  const texts = references.map(({ problem, fix }) => errorText(problem, fix));
  return [...problems, ...texts].map(optionError);
}
