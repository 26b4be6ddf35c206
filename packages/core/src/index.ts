export { Application, createApp } from './application.js';
export type { BodyOptions } from './body/body-parser.js';
export { json, type JsonOptions } from './body/json.js';
export { raw, type RawOptions } from './body/raw.js';
export { text } from './body/text.js';
export { urlencoded, type UrlencodedOptions } from './body/urlencoded.js';
export type { ResponseBody } from './context/answer.js';
export { Context } from './context/context.js';
export type { State } from './context/state.js';
export type { Next } from './context/next.js';
export type { HeaderValue, ResponseHeaders } from './context/response-headers.js';
export { HttpError, type HttpErrorOptions, isHttpError } from './errors/http-error.js';
export {
  BadRequestError,
  ConflictError,
  ForbiddenError,
  InternalServerError,
  MethodNotAllowedError,
  NotFoundError,
  PayloadTooLargeError,
  ServiceUnavailableError,
  TooManyRequestsError,
  UnauthorizedError,
  UnprocessableContentError,
  UnsupportedMediaTypeError,
} from './errors/http-errors.js';
export { NextCalledTwiceError } from './errors/next-called-twice-error.js';
export type { Problem } from './errors/problem.js';
export {
  InvalidMiddlewareError,
  InvalidPatternError,
  RouteConflictError,
  SealedError,
  SetupError,
} from './errors/setup-error.js';
export { errorHandler, type ErrorHandlerOptions } from './handlers/error-handler.js';
export { notFoundHandler } from './handlers/not-found-handler.js';
export { type CloseOptions, listen, type ListenOptions, type Server } from './listen.js';
export { cors, type CorsOptions } from './middleware/cors.js';
export { currentContext, shareContext } from './middleware/current-context.js';
export { etag } from './middleware/etag.js';
export { requestId, type RequestIdOptions } from './middleware/request-id.js';
export { requestLogger, type RequestLoggerOptions } from './middleware/request-logger.js';
export { secureHeaders } from './middleware/secure-headers.js';
export { timeout } from './middleware/timeout.js';
export type { Handler, Middleware } from './pipeline/middleware.js';
export type { Plugin } from './plugin.js';
export { sendEvents, type ServerSentEvent } from './response/server-sent-events.js';
export type { ServerLimits } from './server.js';
export type { Explanation, NearRoute } from './router/explain.js';
export type { PathRules } from './router/pattern.js';
export { createRouter, type Route, Router, type RouterOptions } from './router/router.js';
