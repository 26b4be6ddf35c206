export {
  type CompressionOptions,
  compression,
  type Encoding,
} from './compression.js';
export { CookieError, type CookieErrorCode, CookieKeysError } from './cookies/errors.js';
export { type RequestCookies, readCookies } from './cookies/read-cookies.js';
export {
  type CookieOptions,
  type CookieScope,
  deleteCookie,
  setCookie,
} from './cookies/set-cookie.js';
export { type SignedCookies, signedCookies } from './cookies/signed-cookies.js';
export { type CorsOptions, type CorsOrigin, cors } from './cors.js';
export { type CsrfOptions, csrf, csrfGuard } from './csrf/csrf.js';
export { type CsrfTokenOptions, type CsrfTokens, csrfTokens } from './csrf/tokens.js';
export { currentContext, shareContext } from './current-context.js';
export { etag, type RequireMatchOptions, requireMatch } from './etag.js';
export {
  type CheckState,
  createHealth,
  type Degraded,
  type HealthLogger,
  type HealthOptions,
} from './health.js';
export { type RequestIdOptions, requestId } from './request-id.js';
export {
  type RequestLogEntry,
  type RequestLoggerOptions,
  requestLogger,
} from './request-logger.js';
export { secureHeaders } from './secure-headers.js';
export {
  type EventStream,
  eventStream,
  type SendEventsOptions,
  type ServerSentEvent,
  sendEvents,
} from './server-sent-events.js';
export { type TimeoutOptions, timeout } from './timeout.js';
