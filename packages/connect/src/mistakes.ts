import { type Context, InternalServerError } from '@fairlead/core';
import type { Doubt, Placement } from '@fairlead/core/extend';
import { describeValue, formatLocation, isIntended, type Locate, warn } from '@fairlead/options';

/** What messages say about a function. */
interface Named {
  readonly name: string;
  /** The number of its parameters. */
  readonly length: number;
}

/** The code of errors about middleware that turns out to be unusable during a request. */
export const INVALID = 'INVALID_CONNECT_MIDDLEWARE';

/** Finds what is wrong with the first argument of `connect()`. */
export function findMiddlewareProblem(middleware: unknown): readonly string[] {
  if (typeof middleware !== 'function') {
    const received = `connect() received ${describeValue(middleware)}.`;
    if (Array.isArray(middleware))
      return [`${received} Adapt each of its functions: list.map((one) => connect(one)).`];
    if (typeof Reflect.get(Object(middleware), 'fetch') === 'function')
      return [`${received} Mount what handles web requests: app.mount('/prefix', handler).`];
    return [`${received} Pass a function (req, res, next).`];
  }
  const source = Function.prototype.toString.call(middleware);
  // Such a function can neither respond nor call next(). A bound function hides its source.
  const hasOne = middleware.length === 1 && !UNCOUNTED.test(source) && !NATIVE.test(source);
  const takesOptions = TAKES_OPTIONS.test(source);
  if (hasOne || middleware.length > 4 || (middleware.length > 1 && takesOptions)) {
    const mount = " If it takes a web Request, mount it: app.mount('/prefix', handler).";
    return [callIt(middleware) + (hasOne && !takesOptions ? mount : '')];
  }
  if (middleware.length <= 3) return [];
  return [
    `connect() cannot run ${describeValue(middleware)} with ${middleware.length} parameters, which handles errors. Use the onError option of errorHandler(), or middleware with try/catch.`,
  ];
}

/** Matches the source of a bound function, or of another one that JavaScript does not show. */
const NATIVE = /\{\s*\[native code\]\s*\}\s*$/;

/** Matches a function whose second parameter has a default or is a rest parameter. */
const UNCOUNTED = /^[^(=]*\(\s*[\w$]+\s*,\s*(?:\.\.\.|[\w$]+\s*=)/;

/** Matches a function whose first or second parameter is named like options, such as `morgan(format, options)`. */
const TAKES_OPTIONS = /^[^(=]*\(\s*(?:[\w$]+\s*,\s*)?_*(?:opts|options|config|settings)\s*[,)=]/;

/** Whether a function returned middleware, and so is a factory. */
export function isFactoryResult(returned: unknown, { length }: Named): boolean {
  return typeof returned === 'function' && (length < 2 || returned.length > 1);
}

/** Explains that a function probably returns the middleware. */
export function callIt(factory: Named): string {
  const name = factory.name || 'factory';
  return `connect() received ${describeValue(factory)}, which is not middleware (req, res, next). If it returns middleware, call it: connect(${name}()).`;
}

/** Whether a function has returned a web `Response`, so that it never responds or calls `next()`. */
export function isWebResponse(returned: unknown): boolean {
  return Object.prototype.toString.call(returned) === '[object Response]';
}

/** Creates the error for a handler of web requests. */
export function mountIt({ name }: Named): Error {
  return new InternalServerError(
    `The middleware '${name || 'connect'}' returned a web Response, which Express middleware does not. Mount the handler: app.mount('/prefix', handler).`,
    { code: INVALID },
  );
}

/** Warns about middleware that changes `req.method` before routes of Fairlead, which keep the method of the client. */
export function findOverride({ name }: Named, { routes }: Placement): Doubt | undefined {
  if (name !== 'methodOverride' || routes.length === 0) return undefined;
  const message =
    'method-override does not change which route of Fairlead handles a request. Let forms post to a route of their own, such as POST /users/:id/delete. For routes of Express, run it in their application: connect(express().use(methodOverride()).use(routes)).';
  return { code: 'FAIRLEAD_ROUTE', message };
}

/** Warns about an Express router without an application, whose handlers usually need one. */
export function warnOfRouter(middleware: object, locate: Locate): void {
  const { route, param }: { route?: unknown; param?: unknown } = middleware;
  if ('settings' in middleware || typeof route !== 'function' || typeof param !== 'function')
    return;
  if (isIntended(middleware)) return;
  warn(
    'FAIRLEAD_BARE_ROUTER',
    'connect() received a router without an Express application. Its handlers lack most Express methods, such as res.cookie(). Mount it in an application: connect(express().use(router)). If they call none of these, mark it: connect(intended(router)).' +
      formatLocation(locate),
  );
}

/** Matches the error for a missing method of a request or response, and captures the method. */
const NO_METHOD = /\b_?(?:req|res)\w*\.(\w+) is not a function/i;

/** The methods that Express adds to requests and responses, without those that connect() adds. */
const EXPRESS_METHODS = new Set([
  ...['accepts', 'acceptsCharsets', 'acceptsEncodings', 'acceptsLanguages', 'attachment'],
  ...['clearCookie', 'cookie', 'download', 'format', 'is', 'jsonp', 'links', 'location', 'param'],
  ...['range', 'render', 'sendFile', 'vary'],
]);

/** Explains the error of middleware that calls an Express method outside an Express application. */
export function explainExpress(error: unknown, { req }: Context, middleware: Named): unknown {
  const { app }: { app?: object } = req as object;
  if (!(error instanceof TypeError) || (app !== undefined && 'settings' in app)) return error;
  const [call, method = ''] = NO_METHOD.exec(error.message) ?? [];
  if (call === undefined || !EXPRESS_METHODS.has(method)) return error;
  const name = middleware.name || 'middleware';
  return new InternalServerError(
    `The middleware '${name}' needs Express: ${call}. Run it in an Express application: connect(express().use(${name})).`,
    { code: INVALID, cause: error },
  );
}
