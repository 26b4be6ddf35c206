export { Controller, type ControllerOptions } from './decorators/controller.js';
export {
  applyDecorators,
  type CustomParamDecorator,
  createCustomParamDecorator,
  createRouteMetadata,
  type RouteMetadata,
  type RouteMetadataOptions,
} from './decorators/custom.js';
export { Body, Ctx, Header, Param, Query, Req, Res } from './decorators/parameters.js';
export {
  All,
  Delete,
  Get,
  Head,
  HttpCode,
  Options,
  Patch,
  Post,
  Put,
  Redirect,
  type RedirectTarget,
  type ResponseDecorator,
  type RouteDecorator,
  SetHeader,
} from './decorators/routes.js';
export {
  SkipInheritedGuards,
  SkipInheritedInterceptors,
  SkipInheritedMiddleware,
  UseGuard,
  UseInterceptor,
  UseMiddleware,
} from './decorators/use.js';
export { ControllerRegistry } from './definition/controller-registry.js';
export type { ControllerDefinition, RouteDefinition } from './definition/definition.js';
export {
  type DiscoveryResult,
  discoverControllers,
  getControllersFromResults,
  getErrorsFromResults,
} from './discovery/discover-controllers.js';
export type { DiscoveryOptions } from './discovery/find-files.js';
export {
  ControllerError,
  type ControllerErrorOptions,
  type Diagnostic,
} from './errors/controller-error.js';
export {
  GuardRejectionError,
  type HandlerParameter,
  MissingParameterError,
  ParameterInjectionError,
} from './errors/request-errors.js';
export {
  ControllerResolutionError,
  DiscoveryError,
  NoRoutesError,
  NotAControllerError,
  RouteRegistrationError,
  StartError,
} from './errors/startup-errors.js';
export { RequestContext } from './instances/request-scopes.js';
export type {
  HeaderMetadata,
  RedirectMetadata,
  RouteMetadataKey,
  RouteMethod,
  RouteDecoratorOptions,
  RouteValues,
} from './metadata/class-metadata.js';
export type {
  AllValuesOptions,
  ParamDecorator,
  ParameterDefinition,
  ParameterSource,
  ParamOptions,
  Transform,
} from './metadata/parameter.js';
export type {
  CanActivate,
  ClassInterceptor,
  ClassMiddleware,
  Guard,
  GuardContext,
  GuardFn,
  Interceptor,
  InterceptorReference,
  MiddlewareReference,
} from './metadata/references.js';
export {
  type ControllersPlugin,
  controllersPlugin,
  type PluginState,
} from './plugin/controllers-plugin.js';
export type { ControllersPluginOptions, PluginLogger } from './plugin/options.js';
export { type BuildRoutesOptions, type BuiltRoute, buildRoutes } from './routes/build-routes.js';
export {
  describeRoutes,
  formatRoutes,
  type RouteDescription,
} from './routes/describe-routes.js';
export { type RegisteredController, registerController } from './routes/register-controller.js';
