import type { Middleware } from '@fairlead/core';
import type { InjectionToken } from '@fairlead/di';
import type { Guard } from '../guards/guard.js';
import type { Interceptor } from '../interceptors/interceptor.js';
import type { Declaration } from './declaration.js';
import type { ParameterMetadata } from './parameter.js';
import type { RouteMetadataKey } from './route-values.js';

/** Method of a route; `ALL` answers every method. */
export type RouteMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS' | 'ALL';

/** Second argument of the route decorators. */
export interface RouteOptions {
  /** Status of the response when the method sets none: 200 to 599. */
  readonly status?: number;
  /** One line for people. */
  readonly summary?: string;
  /** Text for people. */
  readonly description?: string;
  /** Groups that the route belongs to. */
  readonly tags?: readonly string[];
  /** Whether clients should stop to use the route. */
  readonly deprecated?: boolean;
  /**
   * Schema of what the method returns when it succeeds: a JSON Schema, or a Standard Schema. Applied
   * where `compileResponse` is given and it is, or can be written as, a JSON Schema.
   */
  readonly response?: object;
}

/** What `@UseMiddleware()` and the plugin's `middleware` take: a function or a container token of one. */
export type MiddlewareReference = Middleware | InjectionToken<Middleware> | string | symbol;

/** What `@UseInterceptor()` takes: a function or a container token of one. */
export type InterceptorReference = Interceptor | InjectionToken<Interceptor> | string | symbol;

/** What a route decorator states. */
export interface StatedRoute {
  readonly method: RouteMethod;
  readonly path: string;
  readonly options: RouteOptions;
}

/** What `@SetHeader()` states. */
export interface HeaderMetadata {
  /** As it is sent. */
  readonly name: string;
  /** Text without control characters. */
  readonly value: string;
}

/** What `@Redirect()` states. */
export interface RedirectMetadata {
  /** Value of `Location`. */
  readonly url: string;
  /** Integer from 300 to 399. */
  readonly statusCode: number;
}

/** What a method adds to that of the methods it overrides. */
export type AdditiveKind = 'guards' | 'middleware' | 'interceptors';

/** What decorators state about one method, at one class of a chain. */
export interface MethodMetadata {
  readonly routes: StatedRoute[];
  readonly parameters: Map<number, ParameterMetadata>;
  readonly guards: Guard[];
  readonly middleware: MiddlewareReference[];
  readonly interceptors: InterceptorReference[];
  readonly headers: HeaderMetadata[];
  readonly values: Map<RouteMetadataKey, unknown>;
  /** What the method leaves out of what overridden methods state. */
  readonly skips: Set<AdditiveKind>;
  redirect: RedirectMetadata | undefined;
  status: number | undefined;
}

/** What `@Controller()` states, and where. */
interface StatedController {
  readonly prefix: string;
  readonly version: string | undefined;
  readonly declaration: Declaration;
}

/** What decorators state about one class, without what it inherits. */
export interface ClassMetadata {
  /** Set by `@Controller()`; its absence means that the class is no controller. */
  controller: StatedController | undefined;
  readonly guards: Guard[];
  readonly middleware: MiddlewareReference[];
  readonly interceptors: InterceptorReference[];
  readonly values: Map<RouteMetadataKey, unknown>;
  readonly methods: Map<string | symbol, MethodMetadata>;
}
