export { Application, createApp } from './application.js';
export { json, type JsonOptions } from './body/json.js';
export type { ResponseBody } from './context/answer.js';
export { Context, type State } from './context/context.js';
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
export type { Handler, Middleware } from './pipeline/middleware.js';
export type { Plugin } from './plugin.js';
export { createRouter, type Route, Router, type RouterOptions } from './router/router.js';
