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
  /** In upper case; `ALL` for every method. */
  readonly method: RouteMethod;
  /** Version, controller prefix and the route's own path, joined: `/v2/users/:id`. */
  readonly path: string;
  /** Name of the method that answers. */
  readonly methodName: string | symbol;
  /** The method for people: `UsersController.create`. */
  readonly handler: string;
  /** The decorated parameters of the method, in their order. */
  readonly parameters: readonly ParameterDefinition[];
  /** The class's guards, then the method's, those of base classes and overridden methods first. */
  readonly guards: readonly Guard[];
  /** The class's middleware, then the method's, in the order of guards. */
  readonly middleware: readonly MiddlewareReference[];
  /** The class's interceptors, then the method's: the outermost first. */
  readonly interceptors: readonly InterceptorReference[];
  /** What `@SetHeader()` states, from top to bottom. */
  readonly headers: readonly HeaderMetadata[];
  /** What `@Redirect()` states. */
  readonly redirect: RedirectMetadata | undefined;
  /** 200 to 599: of `@HttpCode()`, or else of the route's options. */
  readonly status: number | undefined;
  /** One line for people. */
  readonly summary: string | undefined;
  /** Text for people. */
  readonly description: string | undefined;
  /** Groups that the route belongs to. */
  readonly tags: readonly string[];
  /** Whether clients should stop to use the route. */
  readonly deprecated: boolean;
  /** A JSON Schema, or a Standard Schema. */
  readonly response: object | undefined;
  /** Values by decorator of `createRouteMetadata`: the class's, under the method's. */
  readonly metadata: RouteValues;
}

/** A controller, as its decorators and those of its bases state it. */
export interface ControllerDefinition {
  /** The class. */
  readonly controller: Constructor;
  /** Name of the class. */
  readonly name: string;
  /** As `@Controller()` states it; empty when it states none. */
  readonly prefix: string;
  /** As `@Controller()` states it. */
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
  /** As they were registered. */
  readonly routes: readonly BuiltRoute[];
}
