export { Application, createApp } from './application.js';
export type { BodyOptions } from './body/body-parser.js';
export { type JsonOptions, json } from './body/json.js';
export { type RawOptions, raw } from './body/raw.js';
export { text } from './body/text.js';
export { type UrlencodedOptions, urlencoded } from './body/urlencoded.js';
export type { ResponseBody } from './context/answer.js';
export { Context } from './context/context.js';
export type { Next } from './context/next.js';
export type { HeaderValue, ResponseHeaders } from './context/response-headers.js';
export type { RouteTable } from './context/route-match.js';
export type { State } from './context/state.js';
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
export { ListenError } from './errors/listen-error.js';
export { NextCalledTwiceError } from './errors/next-called-twice-error.js';
export type { Problem } from './errors/problem.js';
export {
  InvalidMiddlewareError,
  InvalidPatternError,
  RouteConflictError,
  SealedError,
  SetupError,
} from './errors/setup-error.js';
export { type ErrorHandlerOptions, errorHandler } from './handlers/error-handler.js';
export { notFoundHandler } from './handlers/not-found-handler.js';
export { type CloseOptions, type ListenOptions, listen, type Server } from './listen.js';
export { type CorsOptions, type CorsOrigin, cors } from './middleware/cors.js';
export { currentContext, shareContext } from './middleware/current-context.js';
export { etag } from './middleware/etag.js';
export { type RequestIdOptions, requestId } from './middleware/request-id.js';
export { type RequestLoggerOptions, requestLogger } from './middleware/request-logger.js';
export { secureHeaders } from './middleware/secure-headers.js';
export { timeout } from './middleware/timeout.js';
export type { Handler, Middleware } from './pipeline/middleware.js';
export type { Plugin } from './plugin.js';
export { type ServerSentEvent, sendEvents } from './response/server-sent-events.js';
export type { Explanation, NearRoute } from './router/explain.js';
export type { PathRules } from './router/pattern.js';
export { createRouter, type Route, Router, type RouterOptions } from './router/router.js';
export type { ServerLimits } from './server.js';
