export {
  applyDecorators,
  type CustomParamDecorator,
  createCustomParamDecorator,
  createDecoratorFactory,
  createRouteMetadata,
  type Exemption,
  type RouteMetadata,
  type RouteMetadataOptions,
} from './decorators/custom.js';
export { Body, Ctx, Header, Param, Query, Req, Res } from './decorators/parameters.js';
export {
  All,
  Controller,
  type ControllerDecorator,
  type ControllerOptions,
  Delete,
  Get,
  Head,
  HttpCode,
  Options,
  Patch,
  Post,
  Put,
  QueryRoute,
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
export type { BuiltRoute, RegisteredController } from './definition/built-route.js';
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
  ControllerResolutionError,
  type Diagnostic,
  DiscoveryError,
  GuardRejectionError,
  MissingParameterError,
  NoRoutesError,
  NotAControllerError,
  ParameterInjectionError,
  RouteRegistrationError,
  StartError,
} from './errors.js';
export { RequestContext } from './instances/request-scopes.js';
export type {
  HeaderMetadata,
  RedirectMetadata,
  RouteDecoratorOptions,
  RouteMetadataKey,
  RouteMethod,
} from './metadata/class-metadata.js';
export type {
  AllValuesOptions,
  ParamDecorator,
  ParameterDefinition,
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
export type { BuildRoutesOptions, ControllersPluginOptions, PluginLogger } from './options.js';
export {
  type ControllersPlugin,
  controllersPlugin,
  type PluginState,
} from './plugin/controllers-plugin.js';
export { buildRoutes } from './routes/build-routes.js';
export {
  describeRoutes,
  formatRoutes,
  type RouteDescription,
} from './routes/describe-routes.js';
export { registerController } from './routes/register-controller.js';
export { ControllerRegistry } from './routes/registry.js';
export { defineController } from './values/define-controller.js';
export type {
  ControllerContract,
  ControllerValue,
  ControllerValueOptions,
  Injected,
  RouteBuilder,
  RouteBuilders,
  ValueRoute,
  ValueRouteOptions,
} from './values/types.js';
