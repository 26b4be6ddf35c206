import type { Middleware } from '@fairlead/core';
import type { Constructor } from '@fairlead/di';
import type { Guard } from '../guards/guard.js';
import type {
  HeaderMetadata,
  InterceptorReference,
  MiddlewareReference,
  RedirectMetadata,
  RouteMethod,
} from '../metadata/class-metadata.js';
import type { ParameterDefinition } from '../metadata/parameter.js';
import type { RouteValues } from '../metadata/route-values.js';

/** One route of a controller, as its decorators and those of its bases state it. */
export interface RouteDefinition {
  readonly method: RouteMethod;
  /** Version, controller prefix and the route's own path, joined: `/v2/users/:id`. */
  readonly path: string;
  /** Name of the method that answers. */
  readonly methodName: string | symbol;
  /** The method for people: `UsersController.create`. */
  readonly handler: string;
  readonly parameters: readonly ParameterDefinition[];
  /** The class's guards, then the method's. */
  readonly guards: readonly Guard[];
  /** The class's middleware, then the method's. */
  readonly middleware: readonly MiddlewareReference[];
  /** The class's interceptors, then the method's: the outermost first. */
  readonly interceptors: readonly InterceptorReference[];
  readonly headers: readonly HeaderMetadata[];
  readonly redirect: RedirectMetadata | undefined;
  readonly status: number | undefined;
  readonly summary: string | undefined;
  readonly description: string | undefined;
  readonly tags: readonly string[];
  readonly deprecated: boolean;
  /** A JSON Schema, or a Standard Schema. */
  readonly response: object | undefined;
  /** Values by decorator of `createRouteMetadata`: the class's, under the method's. */
  readonly metadata: RouteValues;
}

/** A controller, as its decorators and those of its bases state it. */
export interface ControllerDefinition {
  readonly controller: Constructor;
  /** Name of the class. */
  readonly name: string;
  readonly prefix: string;
  readonly version: string | undefined;
  /** Never empty. */
  readonly routes: readonly RouteDefinition[];
}

/** A route that is ready to be registered on a router. */
export interface BuiltRoute extends RouteDefinition {
  /** As in {@link RouteDefinition}, below the plugin's prefix; relative to the router's mount. */
  readonly path: string;
  /** The plugin's middleware, then the class's and the method's. */
  readonly middleware: readonly MiddlewareReference[];
  /** What a router runs; the last function runs the method. */
  readonly handlers: readonly Middleware[];
}

/** A controller whose routes are registered. */
export interface RegisteredController extends ControllerDefinition {
  readonly routes: readonly BuiltRoute[];
}
