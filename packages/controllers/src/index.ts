export { applyDecorators } from './decorators/apply-decorators.js';
export { Controller, type ControllerOptions } from './decorators/controller.js';
export {
  type CustomParamDecorator,
  createCustomParamDecorator,
} from './decorators/custom-parameter.js';
export { Body, Ctx, Header, Param, Query, Req, Res } from './decorators/parameters.js';
export { HttpCode, Redirect, type RedirectTarget, SetHeader } from './decorators/response.js';
export { createRouteMetadata, type RouteMetadata } from './decorators/route-metadata.js';
export {
  All,
  Delete,
  Get,
  Head,
  Options,
  Patch,
  Post,
  Put,
  type RouteDecorator,
} from './decorators/routes.js';
export { SkipInheritedGuards, UseGuard } from './decorators/use-guard.js';
export { SkipInheritedInterceptors, UseInterceptor } from './decorators/use-interceptor.js';
export { SkipInheritedMiddleware, UseMiddleware } from './decorators/use-middleware.js';
export {
  type DiscoveryResult,
  discoverControllers,
  getControllersFromResults,
  getErrorsFromResults,
} from './discovery/discover-controllers.js';
export type { DiscoveryOptions } from './discovery/find-files.js';
export { ControllerError, type ControllerErrorOptions } from './errors/controller-error.js';
export { ControllerResolutionError } from './errors/controller-resolution-error.js';
export {
  NoRoutesError,
  NotAControllerError,
  RouteRegistrationError,
} from './errors/definition-errors.js';
export { DiscoveryError } from './errors/discovery-error.js';
export { GuardRejectionError } from './errors/guard-rejection-error.js';
export {
  MissingParameterError,
  ParameterInjectionError,
  type ParameterPlace,
  ParameterValidationError,
  type ValidationIssue,
} from './errors/parameter-errors.js';
export type { Flaw } from './errors/problem-text.js';
export { StartError } from './errors/start-error.js';
export type { CanActivate, Guard, GuardContext, GuardFn } from './guards/guard.js';
export { describeRoutes, type RouteDescription } from './inspection/describe-routes.js';
export { formatRoutes } from './inspection/format-routes.js';
export type { Interceptor } from './interceptors/interceptor.js';
export { RequestContext } from './invocation/request-context.js';
export type { CompileResponse, WriteJson } from './invocation/response-writers.js';
export type {
  HeaderMetadata,
  InterceptorReference,
  MiddlewareReference,
  RedirectMetadata,
  RouteMethod,
  RouteOptions,
} from './metadata/class-metadata.js';
export type {
  ParameterDefinition,
  ParameterSource,
  ParamOptions,
  Transform,
} from './metadata/parameter.js';
export type { RouteMetadataKey, RouteValues } from './metadata/route-values.js';
export type {
  StandardSchema,
  StandardSchemaIssue,
  StandardSchemaResult,
} from './metadata/standard-schema.js';
export { type ControllersPlugin, controllersPlugin } from './plugin/controllers-plugin.js';
export type { PluginLogger } from './plugin/plugin-log.js';
export type { ControllersPluginOptions } from './plugin/plugin-options.js';
export type { PluginState } from './plugin/plugin-state.js';
export { type BuildRoutesOptions, buildRoutes } from './registry/build-routes.js';
export { ControllerRegistry } from './registry/controller-registry.js';
export type {
  BuiltRoute,
  ControllerDefinition,
  RegisteredController,
  RouteDefinition,
} from './registry/definition.js';
export { registerController } from './registry/register-controller.js';
