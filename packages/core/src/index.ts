import { describeFactories } from './annotations/description.js';
import { createApp } from './app/application.js';
import { json, raw, text, urlencoded } from './body/parsers.js';
import { errorHandler } from './middleware/error-handler.js';
import { notFoundHandler } from './middleware/not-found-handler.js';
import { createRouter } from './router/router.js';

export {
  isStandardSchema,
  type JsonSchema,
  type JsonSchemaConverter,
  type JsonSchemaOptions,
  type SchemaInput,
  type SchemaOutput,
  type StandardSchema,
  type StandardSchemaIssue,
  type StandardSchemaResult,
  toJsonSchema,
} from '@fairlead/schemas';
export { intended } from './annotations/intended.js';
export { Application, createApp, type Plugin } from './app/application.js';
export type { ApplicationOptions } from './app/options.js';
export {
  type BodyOptions,
  json,
  parseJson,
  raw,
  text,
  type UrlencodedOptions,
  urlencoded,
} from './body/parsers.js';
export { type AnyContext, Context } from './context/context.js';
export {
  BadRequestError,
  ConflictError,
  ForbiddenError,
  HttpError,
  type HttpErrorOptions,
  InternalServerError,
  isHttpError,
  MethodNotAllowedError,
  type MethodNotAllowedOptions,
  NextCalledTwiceError,
  NotFoundError,
  PayloadTooLargeError,
  PreconditionFailedError,
  type RetryAfterOptions,
  ServiceUnavailableError,
  TooManyRequestsError,
  UnauthorizedError,
  UnprocessableContentError,
  UnsupportedMediaTypeError,
  ValidationError,
  type ValidationErrorOptions,
  type ValidationIssue,
  type ValidationStatus,
} from './errors/http-error.js';
export type { Problem } from './errors/problem.js';
export type { Next } from './exchange/after-next.js';
export type {
  Params,
  RawInputs,
  RequestInputs,
  RequestOutcome,
  State,
} from './exchange/exchange.js';
export {
  type ErrorFormatter,
  type ErrorHandlerOptions,
  errorHandler,
  type PublishedError,
} from './middleware/error-handler.js';
export { type NotFoundHandlerOptions, notFoundHandler } from './middleware/not-found-handler.js';
export type { AnyMiddleware, Middleware } from './pipeline/pipeline.js';
export type { TracedCall, TracedPart } from './pipeline/tracing.js';
export type { HeaderValue, ResponseHeaders } from './response/headers.js';
export type { ResponseBody } from './response/record.js';
export type {
  DefinedRoute,
  RouteBuilder,
  RouteBuilders,
  RouteContract,
} from './router/client-contract.js';
export type { FetchHandler, MountOptions } from './router/fetch-handler.js';
export { InvalidMiddlewareError } from './router/invalid-argument.js';
export type { PathParams, PathRules } from './router/pattern.js';
export type {
  AddRoute,
  Deprecation,
  Handler,
  HandlerResult,
  ResponseSchemas,
  ResponseValue,
  Returned,
  RouteDocumentation,
  RouteOptions,
  RouteParams,
  RouteTool,
  ValidatedContext,
  ValidatedHandler,
  ValidatedInputs,
} from './router/route-options.js';
export {
  createRouter,
  type DefinedRouter,
  type PartialMiddleware,
  type Route,
  Router,
  type RouterOptions,
} from './router/router.js';
export type { VersionSource } from './router/version-source.js';
export {
  type Content,
  type ContentDetails,
  content,
  type Example,
  type Examples,
  type MediaTypeDetails,
  type MediaTypes,
} from './schema/content.js';
export type { CompileResponse } from './schema/response-writer.js';
export { type SchemaClass, type SchemaInstance, schemaClass } from './schema/schema-class.js';
export type { RouteInput } from './schema/text-inputs.js';
export type { CloseOptions } from './server/close.js';
export type { Caller, FetchOptions } from './server/in-process.js';
export type { ServerLimits } from './server/limits.js';
export {
  type Listenable,
  type ListenOptions,
  listen,
  type Server,
} from './server/listen.js';
export type { ProxyOptions, TrustedProxies } from './server/trusted-proxies.js';
export type { UpgradedConnection } from './server/upgrade.js';
export {
  InvalidApplicationError,
  InvalidPatternError,
  ListenError,
  RouteConflictError,
  SealedError,
  SetupError,
} from './setup/setup-error.js';

describeFactories(
  createApp,
  createRouter,
  json,
  raw,
  text,
  urlencoded,
  errorHandler,
  notFoundHandler,
);

export type {
  HeaderDescription,
  HeaderDescriptions,
  Security,
  SecurityAlternatives,
  SecurityRequirement,
  SecurityScheme,
} from './annotations/documentation.js';
