import type { Router } from '@fairlead/core';
import type { Constructor, ContainerInterface } from '@fairlead/di';
import type { CompileResponse } from '../invocation/response-writers.js';
import type { MiddlewareReference } from '../metadata/class-metadata.js';
import type { PluginLogger } from './plugin-log.js';

/** What `controllersPlugin` takes. */
export interface ControllersPluginOptions {
  /** Router on which the routes are registered; the application mounts it. */
  readonly router: Router;
  /**
   * Directory scanned for controllers: a path, relative to the working directory, or a `file:` URL.
   * Nothing is scanned without it.
   */
  readonly root?: string | URL;
  /** Globs of the files that are imported, relative to root. Default: every `.ts` and `.js` file. */
  readonly include?: readonly string[];
  /**
   * Globs of the files that are left alone, relative to root. Default: tests, `node_modules`, `dist`
   * and `__tests__`.
   */
  readonly exclude?: readonly string[];
  /** Whether a file that cannot be looked into stops the start; it is a warning by default. */
  readonly strict?: boolean;
  /** Leading path of every controller. Default: none. */
  readonly prefix?: string;
  /** Runs before the middleware of every route: functions, or container tokens of functions. */
  readonly middleware?: readonly MiddlewareReference[];
  /** Supplies controllers, guards and middleware. Default: the global container. */
  readonly container?: ContainerInterface;
  /**
   * Compiles the response schemas of routes, as the default export of `fast-json-stringify` does.
   * They are not applied without it.
   */
  readonly compileResponse?: CompileResponse;
  /** Whether discovery and registration are logged. Default: false. */
  readonly debug?: boolean;
  /** Where the plugin writes. Default: stderr. */
  readonly logger?: PluginLogger;
  /**
   * Controllers to register beside those that are discovered.
   *
   * @deprecated Give `root`, or call `registerController` for a single class.
   */
  readonly controllers?: readonly Constructor[];
}
