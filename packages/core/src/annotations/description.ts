import {
  arrayOf,
  boolean,
  describeValue,
  either,
  findOptionProblems,
  fn,
  isClass,
  isIntended,
  type Kind,
  type Kinds,
  kind,
  markIntended,
  nonEmptyString,
  object,
  oneOf,
  string,
} from '@fairlead/options';
import { throwTogether } from '../setup/options.js';

/** A Security Scheme Object of OpenAPI, or a reference to one. */
export type SecurityScheme = (
  | { readonly type: 'apiKey'; readonly in: 'cookie' | 'header' | 'query'; readonly name: string }
  | { readonly type: 'http'; readonly scheme: string; readonly bearerFormat?: string }
  | { readonly type: 'mutualTLS' }
  | { readonly type: 'oauth2'; readonly flows: object; readonly oauth2MetadataUrl?: string }
  | { readonly type: 'openIdConnect'; readonly openIdConnectUrl: string }
  | { readonly $ref: string; readonly summary?: string }
) & {
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly [extension: `x-${string}`]: unknown;
};

/** A way to authenticate requests, for documentation. */
export interface SecurityRequirement {
  /** Identifies the scheme in the document. */
  readonly name: string;
  /** A Security Scheme Object of OpenAPI, such as `{ type: 'http', scheme: 'bearer' }`. */
  readonly scheme: SecurityScheme;
  /** The scopes or roles that the route needs; none by default. */
  readonly scopes?: readonly string[];
}

/** Several ways to authenticate requests, one of which is enough. */
export interface SecurityAlternatives {
  /** At least one. A request needs all members of a list, and need not authenticate for an empty one. */
  readonly anyOf: readonly Security[];
}

/** How requests authenticate, for documentation. They need all members of a list. */
export type Security = SecurityRequirement | SecurityAlternatives | readonly Security[];

/** What middleware or a guard adds to the responses of routes, for documentation. */
export interface SentDescription {
  /** The methods of the routes; all by default. */
  readonly methods?: readonly string[];
  /** Headers of every response, by name. */
  readonly headers?: HeaderDescriptions;
  /** Redirects and errors that it responds with, and what responses with other statuses have, by status. */
  readonly responses?: Readonly<
    Record<number, { readonly description?: string; readonly headers?: HeaderDescriptions }>
  >;
}

/** A header of a response, for documentation. */
export interface HeaderDescription {
  readonly description?: string;
  /** A Standard Schema or a JSON Schema of the value; a string by default. */
  readonly schema?: object;
  /** Whether all of these responses have the header; false by default. */
  readonly required?: boolean;
  readonly deprecated?: boolean;
  readonly example?: unknown;
}

/** Headers by name: what each one tells, or more about it. */
export type HeaderDescriptions = Readonly<Record<string, string | HeaderDescription>>;

/** The bodies that a parser reads. */
export interface BodyDescription {
  /** Media types, such as `application/json`, for documents and for responses to unread bodies. */
  readonly mediaTypes: readonly string[];
  /**
   * The settings of a parser that reads every body of its media types, as text. The startup warns about such a
   * parser after another one of the same media types, unless both have the same settings. Omit it for a parser
   * that skips some of these bodies.
   */
  readonly settings?: string;
  /** The form that the parser reads. */
  readonly form?: FormDescription;
}

/** The form that a parser reads. */
export interface FormDescription {
  /** A JSON Schema for each part, by name. */
  readonly properties: Readonly<Record<string, object>>;
  /** The names of the parts that the form must have. */
  readonly required: readonly string[];
  /** The Encoding Objects of OpenAPI, by the name of the part. */
  readonly encoding: Readonly<Record<string, object>>;
  /** Whether the parser rejects bodies of other media types. */
  readonly isExclusive: boolean;
}

/**
 * What a described value is. The startup checks that it is where it can work. It never suspects middleware
 * without a role, which may do anything.
 *
 * - `middleware` passes requests on. It affects what is registered after it, and responses to unknown paths.
 * - `cors` is such middleware, and also responds to the preflights of the routes that it is on.
 * - `input` passes requests on, and affects only the handlers after it: body parsers, for example.
 * - `responder` may respond, also to paths without a route.
 * - `foreign` belongs to another framework, which reads paths in its own way. It may do anything.
 * - `websocket` opens WebSocket connections, so its route has to be a GET route. A handler or an interceptor.
 * - `guard` returns a boolean, and never calls `next()`.
 * - `errorHandler` catches the errors of what is registered after it.
 * - `notFoundHandler` responds to every request that reaches it.
 * - `factory` is a function that returns one of these, so it has to be called.
 * - `decorator` decorates a class, a method or a parameter, so it never handles requests.
 * - `decoratorFactory` is a function that returns such a decorator. Its `name` is how to write it: `@Roles('admin')`.
 * - `error` is an error with the members of `HttpError`, which become the response, or the prototype of such errors.
 * - `response` is a value that a handler may return, with functions that respond.
 */
export type Role = (typeof ROLES)[number];

const ROLES = [
  ...(['middleware', 'cors', 'input', 'responder', 'foreign', 'websocket', 'guard'] as const),
  ...(['errorHandler', 'notFoundHandler', 'factory', 'error', 'response'] as const),
  ...(['decorator', 'decoratorFactory'] as const),
];

/** Where a described function runs, for its {@link Description.check}. */
export interface Placement {
  /** The routes that it runs for. */
  readonly routes: readonly RoutePlacement[];
  /**
   * What the application registered before it for paths that both may handle, in order: middleware, and the
   * functions of routes.
   */
  readonly before: readonly object[];
  /**
   * Whether a route that it runs for, or middleware after it, may handle a path or one below it. True in doubt.
   *
   * @param path - Without parameters.
   */
  mayServe(path: string): boolean;
}

/** A route that a described function runs for. */
export interface RoutePlacement {
  /** Upper-case method, or `ALL`. */
  readonly method: string;
  /** With the prefixes of routers. */
  readonly pattern: string;
  /** Whether the function belongs to the route or its router, and not to the application. */
  readonly isOwn: boolean;
  /** The functions that run before it for the route, in order, with those that they {@link Description.runs}. */
  readonly before: readonly object[];
  /** The functions that run after it for the route, in order, with those that they {@link Description.runs}. */
  readonly after: readonly object[];
  /** How requests authenticate, as far as the options and the functions of the route tell. */
  readonly security: readonly Security[];
  /** The media types of the bodies that the options of the route describe; none without a schema. */
  readonly mediaTypes: readonly string[];
}

/** What is probably a mistake. */
export interface Doubt {
  /** The code of the warning. */
  readonly code: 'FAIRLEAD_OPTION' | 'FAIRLEAD_ORDER' | 'FAIRLEAD_ROUTE';
  /** What is wrong, and how to correct or silence it. */
  readonly message: string;
}

/** What startup checks and generated documents need to know about a function, a class or another value. */
export interface Description {
  /**
   * How messages and {@link after} name it, such as `csrf()`. By default the name of the function, with parentheses, or
   * of the class. A function without a name has this one from then on, as in lists of routes and in the 403 of a guard.
   */
  readonly name?: string;
  /** What it is. By default, it may do anything. */
  readonly role?: Role;
  /** The names of middleware or guards, one of which has to run before it, because it reads what they provide. */
  readonly after?: string | readonly string[];
  /** The bodies that a parser reads. */
  readonly reads?: BodyDescription;
  /** What it adds to responses. Further descriptions of one value add to this list. */
  readonly sends?: SentDescription | readonly SentDescription[];
  /** How requests authenticate to pass it. Further descriptions of one value add to this list. */
  readonly security?: Security;
  /** What a handler calls before it handles a request, in order, such as guards and classes of guards. */
  readonly runs?: readonly object[];
  /** Whether pages of other sites can send its credentials, such as a cookie with `SameSite=None`. */
  readonly crossSite?: boolean;
  /** The audiences of tokens, one of which a token must have to pass it. */
  readonly audiences?: readonly string[];
  /** The `Content-Security-Policy` that it sets on responses after it. */
  readonly policy?: string;
  /** The middleware that does the same as a guard, such as `csrf()`, for messages. */
  readonly middleware?: string;
  /** The guard that does the same as middleware, such as `csrfGuard()`, for messages. */
  readonly guard?: string;
  /** Identifies what a guard or an interceptor does. That of a method replaces one of its class with the same slot. */
  readonly slot?: string;
  /**
   * Returns the middleware to run below a prefix of `app.use()`, and, for a foreign one, of a mounted router.
   * The prefix may contain parameters.
   */
  readonly below?: (prefix: string) => object;
  /** Whether browsers that open a path get a page of this responder, even if there is a route after it. */
  readonly hides?: (path: string) => boolean;
  /**
   * Called once at startup, when it is used. Returns the message of a warning, which `intended()` silences;
   * undefined for none.
   */
  readonly warning?: () => string | undefined;
  /**
   * Called once at startup, when it is used. Returns what is probably wrong with the place where it is used, unless
   * it is passed to `intended()`; undefined for nothing.
   */
  readonly check?: (placement: Placement) => Doubt | undefined;
  /** The function that it only calls. It takes over the description of that one, and whether it is intended. */
  readonly wraps?: object;
  /** Records the response for a value with the role `response`. */
  respond?(ctx: object): void;
  /** Frees what such a value holds open. Called when another response is sent. */
  discard?(): void;
}

/** A value that records its own response when a handler returns it. `describe()` gives it the role `response`. */
export interface Responder {
  readonly [DESCRIPTOR]: Descriptor;
}

/** A complete, frozen {@link Description}. */
export interface Descriptor extends Description {
  readonly name: string;
  readonly after: readonly string[];
  readonly sends: readonly SentDescription[];
  readonly security: readonly Security[];
}

/** The only symbol of the interface, so that two copies of core recognize each other's values. */
export const DESCRIPTOR = Symbol.for('fairlead:descriptor');

/** What is known about the registrations of an application that is not sealed yet. */
export interface Registrations {
  /** The prefixes at which the router is mounted, also within other routers. */
  readonly prefixes: readonly string[];
  /**
   * The problems that are certain to make the start fail, in order of registration. Middleware that no route is
   * registered after becomes one when the application is sealed.
   */
  readonly problems: readonly Error[];
  /**
   * Whether the application, or an `errorHandler()` for all of its paths, has an option `format` that cannot pass on the
   * problem of RFC 9457.
   */
  readonly replacesProblems: boolean;
}

/** A global symbol, so that a plugin which uses another copy of core reports all problems. */
export const REGISTRATIONS: unique symbol = Symbol.for('@fairlead/core:registrations');

const KINDS: Kinds<Description> = {
  name: nonEmptyString,
  role: oneOf(...ROLES),
  after: either(nonEmptyString, arrayOf(nonEmptyString, 'an array of names')),
  reads: kind('an object with the array mediaTypes', (value) =>
    Array.isArray(Reflect.get(Object(value), 'mediaTypes')),
  ),
  sends: either(object, arrayOf(object, 'an array of objects')),
  security: kind(
    '{ name, scheme } with a Security Scheme Object, { anyOf }, or an array of such objects',
    isSecurity,
  ),
  runs: arrayOf(either(fn, object), 'an array of functions and objects'),
  crossSite: boolean,
  audiences: arrayOf(string, 'an array of strings'),
  policy: string,
  middleware: nonEmptyString,
  guard: nonEmptyString,
  slot: nonEmptyString,
  below: fn,
  hides: fn,
  warning: fn,
  check: fn,
  wraps: fn,
  respond: fn,
  discard: fn,
};

/** The members that a Security Scheme Object of each type needs. */
const SCHEMES: ReadonlyMap<unknown, Readonly<Record<string, Kind>>> = new Map([
  ['apiKey', { in: oneOf('cookie', 'header', 'query'), name: nonEmptyString }],
  ['http', { scheme: nonEmptyString }],
  ['mutualTLS', {}],
  ['oauth2', { flows: object }],
  ['openIdConnect', { openIdConnectUrl: nonEmptyString }],
]);

/** Accepts a Security Scheme Object of OpenAPI, or a reference to one. */
export const SECURITY_SCHEME: Kind = kind(
  "a Security Scheme Object, such as { type: 'http', scheme: 'bearer' }, with the type apiKey (in, name), http (scheme), mutualTLS, oauth2 (flows) or openIdConnect (openIdConnectUrl)",
  (value) => {
    if (!object.accepts(value)) return false;
    const scheme: { readonly [member: string]: unknown } = { ...Object(value) };
    if (scheme.$ref !== undefined) return string.accepts(scheme.$ref);
    const needed = SCHEMES.get(scheme.type);
    const members = Object.entries(needed ?? {});
    return needed !== undefined && members.every(([name, one]) => one.accepts(scheme[name]));
  },
);

/** Whether a value tells how requests authenticate. */
export function isSecurity(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isSecurity);
  const { name, scheme, anyOf }: { readonly [key: string]: unknown } = Object(value);
  if (anyOf === undefined) return typeof name === 'string' && SECURITY_SCHEME.accepts(scheme);
  return Array.isArray(anyOf) && anyOf.length > 0 && isSecurity(anyOf);
}

/**
 * Describes a function, a class or another value for startup checks and generated documents. A further
 * description of the same value, or of a subclass, adds to the present one.
 *
 * @param target - Middleware, a handler, a guard, a parser, a factory of these, an error, or a value that
 *   handlers return.
 * @returns The same value.
 * @throws {SetupError} `INVALID_OPTION`, when the description is invalid, or the value is frozen or no object.
 */
export function describe<Target extends object>(target: Target, description: Description): Target {
  const problems = findOptionProblems('describe()', description, KINDS);
  if (!Object.isExtensible(target)) {
    problems.push(
      `describe() cannot describe ${describeValue(target)}. Pass a function or an object that is not frozen.`,
    );
  }
  throwTogether(problems);
  const { wraps, name } = description;
  if (name !== undefined && typeof target === 'function' && Reflect.get(target, 'name') === '') {
    Object.defineProperty(target, 'name', { value: name });
  }
  if (isIntended(wraps)) markIntended(target);
  const wrapped = descriptionOf(wraps);
  const present = { ...wrapped, ...descriptionOf(target) };
  const sends = [present.sends ?? [], description.sends ?? []].flat(2);
  const security = [present.security ?? [], description.security ?? []].flat();
  const merged = { ...present, ...description, sends, security };
  if (wraps !== undefined) merged.wraps = wrapped?.wraps ?? wraps;
  return Object.defineProperty(target, DESCRIPTOR, {
    value: complete(target, merged),
    configurable: true,
  });
}

function complete(target: object, description: Description): Descriptor {
  const { name = nameOf(target), after = [], sends = [], security = [] } = description;
  return Object.freeze({
    ...description,
    name,
    after: Object.freeze([after].flat()),
    sends: Object.freeze([sends].flat()),
    security: Object.freeze([security].flat()),
  });
}

/** Describes functions that return middleware, so that registering one instead of its result is an error. */
export function describeFactories(...factories: readonly ((...args: never[]) => unknown)[]): void {
  for (const factory of factories) describe(factory, { role: 'factory' });
}

/** Gives a value the description of another one. Costs less than {@link describe}, which checks what it receives. */
export function describeLike<Target extends object>(target: Target, other: object): Target {
  const value = descriptionOf(other);
  return Object.defineProperty(target, DESCRIPTOR, { value, configurable: true });
}

type Described = { readonly [DESCRIPTOR]?: Description } | null | undefined;

/**
 * Returns the description of a value.
 *
 * @param target - A class has the description of its base class, unless it has one itself.
 * @returns Undefined if it has none.
 */
export function descriptionOf(target: unknown): Descriptor | undefined {
  const description = (target as Described)?.[DESCRIPTOR];
  if (description === undefined) return undefined;
  // A package that does not import describe() sets the members it needs.
  return isComplete(description) ? description : complete(Object(target), description);
}

function isComplete(description: Description): description is Descriptor {
  const { name, after, sends, security } = description;
  return name !== undefined && [after, sends, security].every(Array.isArray);
}

/** Returns the role of a value. */
export function roleOf(target: unknown): Role | undefined {
  return (target as Described)?.[DESCRIPTOR]?.role;
}

/** Why a value handles no requests. */
export interface Misuse {
  readonly is: 'factory' | 'decorator';
  /** Such as `cors` or `@Roles`. */
  readonly name: string;
  /** An imperative sentence that begins in lower case. */
  readonly fix: string;
}

const DECORATE = 'move it above a class or a method, or to metadata of defineController()';

/**
 * Explains that a value is a factory that was not called, or a decorator, and so no middleware, handler, guard or
 * interceptor. Every place that takes one of these asks.
 *
 * @returns Undefined for all other values.
 */
export function findMisuse(value: unknown): Misuse | undefined {
  const { role, name = '' } = descriptionOf(value) ?? {};
  const [bare = name] = name.split('(');
  if (role === 'factory') return { is: 'factory', name: bare, fix: `call it: ${name}.` };
  if (role === 'decorator') return { is: 'decorator', name, fix: `${DECORATE}.` };
  if (role !== 'decoratorFactory') return undefined;
  const fix = `call it: ${name.slice(1)}. Then ${DECORATE}.`;
  return { is: 'decorator', name: bare, fix };
}

/** Returns how messages name a value without a description. */
function nameOf(target: { readonly name?: unknown }): string {
  if (typeof target !== 'function') return 'an object';
  const { name } = target;
  if (name === '') return 'a function';
  return isClass(target) ? `${name}` : `${name}()`;
}

/** Whether requests must authenticate to pass a function, as far as its description tells. */
export function isSecured(target: unknown): boolean {
  return descriptionOf(target)?.security.some(isDemanding) ?? false;
}

/** Whether no request passes without authenticating. */
function isDemanding(security: Security): boolean {
  if ('anyOf' in security) return security.anyOf.every(isDemanding);
  return 'name' in security || security.some(isDemanding);
}

/** Lists functions in the order in which they run, with those that they call first. */
export function flatten(functions: readonly object[]): readonly object[] {
  return functions.flatMap((one) => [...(descriptionOf(one)?.runs ?? []), one]);
}

/** Whether middleware only passes requests on. */
export function passesOn(target: unknown): boolean {
  const role = roleOf(target);
  return role === 'middleware' || role === 'cors' || role === 'input';
}

/** Whether middleware or a guard has no known role, so that it may do anything. */
export function isUnknown(target: unknown): boolean {
  const role = roleOf(target);
  return role === undefined || role === 'foreign';
}

/** Whether middleware is known to respond to paths without a route. */
export function isResponder(target: unknown): boolean {
  const role = roleOf(target);
  return role === 'responder' || role === 'foreign';
}

/**
 * Returns the media types that the parsers before a route read; none without a parser. A parser that rejects
 * all others leaves only its own.
 *
 * @param functions - Middleware and handlers.
 */
export function mediaTypesOf(functions: readonly unknown[]): readonly string[] {
  const bodies = functions.flatMap((one) => descriptionOf(one)?.reads ?? []);
  const exclusive = bodies.filter(({ form }) => form?.isExclusive);
  const read = exclusive.length > 0 ? exclusive : bodies;
  return [...new Set(read.flatMap(({ mediaTypes }) => mediaTypes))];
}

/** Returns the middleware to run below a prefix of `app.use()`. */
export function placeBelow<Target extends object>(prefix: string, target: Target): Target {
  // It returns what can replace the target.
  const placed = (descriptionOf(target)?.below?.(prefix) ?? target) as Target;
  return isIntended(target) ? markIntended(placed) : placed;
}

/** Returns the middleware to run below the prefix of a router: the middleware itself, unless it is foreign. */
export function mountBelow<Target extends object>(prefix: string, target: Target): Target {
  return roleOf(target) === 'foreign' ? placeBelow(prefix, target) : target;
}

/** Whether a value has the members of an `HttpError`. */
function hasErrorMembers(error: object): boolean {
  const { status, code, expose, report, headers, details }: { readonly [name: string]: unknown } =
    Object(error);
  return (
    error instanceof Error &&
    Number.isInteger(status) &&
    Number(status) >= 400 &&
    Number(status) <= 599 &&
    string.accepts(code) &&
    boolean.accepts(expose) &&
    boolean.accepts(report) &&
    object.accepts(headers) &&
    object.accepts(details)
  );
}

/** Whether a value is described as an error with the members of an `HttpError`. */
export function isDescribedError(value: unknown): value is Error {
  return roleOf(value) === 'error' && hasErrorMembers(Object(value));
}
