/** A global symbol, so that two copies of a package recognize each other's parsers. */
const MEDIA_TYPES = Symbol.for('fairlead:media-types');

/** Marks middleware that parses bodies, so that generated documents can list the media types. */
export function declareMediaTypes<Parser extends (...args: never[]) => unknown>(
  parser: Parser,
  mediaTypes: readonly string[],
): Parser {
  return Object.defineProperty(parser, MEDIA_TYPES, { value: Object.freeze([...mediaTypes]) });
}

/**
 * Returns the media types that the middleware before a route accepts; none without a body parser. A parser
 * that rejects all others leaves only its own.
 */
export function mediaTypesOf(middleware: readonly object[]): readonly string[] {
  const exclusive = middleware.filter((one) => formsOf([one]).some((form) => form.isExclusive));
  const parsers = exclusive.length > 0 ? exclusive : middleware;
  return [
    ...new Set(parsers.flatMap((one): readonly string[] => Reflect.get(one, MEDIA_TYPES) ?? [])),
  ];
}

/** The form that a parser reads. */
export interface DeclaredForm {
  /** A JSON Schema for each part, by name. */
  readonly properties: Readonly<Record<string, object>>;
  /** The names of the parts that the form must have. */
  readonly required: readonly string[];
  /** The Encoding Objects of OpenAPI, by the name of the part. */
  readonly encoding: Readonly<Record<string, object>>;
  /** Whether the parser rejects bodies of other media types. */
  readonly isExclusive: boolean;
}

/** A global symbol, so that two copies of a package recognize each other's parsers. */
const FORM = Symbol.for('fairlead:form');

/** Marks a parser of forms, so that generated documents can describe the form. */
export function declareForm<Parser extends object>(parser: Parser, form: DeclaredForm): Parser {
  return Object.defineProperty(parser, FORM, { value: Object.freeze(form) });
}

/** Lists the forms that the marked parsers among the middleware read. */
export function formsOf(middleware: readonly object[]): readonly DeclaredForm[] {
  return middleware.flatMap((one): DeclaredForm | [] => Reflect.get(one, FORM) ?? []);
}

/** A way to authenticate requests. */
export interface DeclaredSecurity {
  /** Identifies the scheme in a document. */
  readonly name: string;
  /** A Security Scheme Object of OpenAPI. */
  readonly scheme: object;
  /** The scopes or roles that a request needs. */
  readonly scopes?: readonly string[];
}

/** A global symbol, so that two copies of a package recognize each other's guards. */
const SECURITY = Symbol.for('fairlead:security');

/**
 * Marks middleware, a guard or a class of guards, so that generated documents show how requests
 * authenticate. Subclasses inherit the mark. Marks add up.
 */
export function declareSecurity<Target extends object>(
  target: Target,
  security: DeclaredSecurity,
): Target {
  const value = Object.freeze([...securityOf(target), security]);
  return Object.defineProperty(target, SECURITY, { value, configurable: true });
}

/** Returns the ways to authenticate that a middleware or guard is marked with. */
export function securityOf(target: object): readonly DeclaredSecurity[] {
  const security: unknown = Reflect.get(target, SECURITY);
  return Array.isArray(security) ? security : [];
}

/** The guard that reads a value of routes. */
export interface DeclaredReader {
  /** For messages, such as `jwtGuard()`. */
  readonly name: string;
  /** Whether a guard of a route is the one. */
  readonly matches: (guard: unknown) => boolean;
  /** Whether the guard lets all requests to a route with this value pass. By default, it never does. */
  readonly exempts?: ((value: unknown) => boolean) | undefined;
  /**
   * Returns the decorator, such as `@Roles()`, that adds a guard which contradicts an exempting value of the same
   * method, and overrules that of the class. The guard lets requests to exempt routes pass.
   */
  readonly contradicts?: ((guard: unknown) => string | undefined) | undefined;
}

/** A global symbol, so that two copies of a package recognize each other's decorators. */
const READER = Symbol.for('fairlead:reader');

/** Marks a decorator that sets a value of routes, which has no effect without a guard. */
export function declareReader<Target extends object>(
  target: Target,
  reader: DeclaredReader,
): Target {
  return Object.defineProperty(target, READER, { value: Object.freeze(reader) });
}

/** Returns the guard without which a decorator has no effect; undefined if it is not marked. */
export function readerOf(target: object): DeclaredReader | undefined {
  return Reflect.get(target, READER) as DeclaredReader | undefined;
}

/** A global symbol, so that two copies of a package recognize each other's handlers. */
const UPGRADE = Symbol.for('fairlead:upgrade');

/** Marks the handler or interceptor of a route that only opens WebSocket connections. */
export function declareUpgrade<Target extends object>(target: Target): Target {
  return Object.defineProperty(target, UPGRADE, { value: true });
}

/** Whether a handler or interceptor is marked to open WebSocket connections. */
export function isUpgrade(target: object): boolean {
  return Reflect.get(target, UPGRADE) === true;
}

/** A global symbol, so that two copies of a package recognize each other's middleware. */
const PLACEMENT = Symbol.for('fairlead:placement');

/**
 * Marks middleware that depends on the prefix in `app.use(prefix, middleware)`.
 *
 * @param place - Returns the middleware to run below a prefix, which may contain parameters.
 */
export function declarePlacement<Target extends object>(
  target: Target,
  place: (prefix: string) => Target,
): Target {
  return Object.defineProperty(target, PLACEMENT, { value: place });
}

/** Returns the middleware to run below a prefix. Unless it is marked, that is the middleware itself. */
export function placeBelow<Target extends object>(prefix: string, target: Target): Target {
  const place: unknown = Reflect.get(target, PLACEMENT);
  return typeof place === 'function' ? place(prefix) : target;
}

/** A global symbol, so that two copies of a package recognize each other's middleware. */
const FOREIGN = Symbol.for('fairlead:foreign');

/**
 * Marks middleware of another framework, which reads the target of the request in its own way.
 *
 * @param mount - Returns the middleware to run below a prefix, which may contain parameters.
 */
export function declareForeign<Target extends object>(
  target: Target,
  mount: (prefix: string) => Target,
): Target {
  return Object.defineProperty(target, FOREIGN, { value: mount });
}

/** Whether middleware is marked as belonging to another framework. */
export function isForeign(target: object): boolean {
  return FOREIGN in target;
}

/** Returns the middleware to run below a prefix: the middleware itself, unless it is foreign. */
export function mountForeign<Target extends object>(prefix: string, target: Target): Target {
  const mount: unknown = Reflect.get(target, FOREIGN);
  return typeof mount === 'function' ? mount(prefix) : target;
}

/** A global symbol, so that two copies of a package recognize each other's middleware. */
const UPSTREAM = Symbol.for('fairlead:upstream');

/** Middleware that only affects what is registered after it. */
export interface DeclaredUpstream {
  /** For messages, such as `csrf()`. */
  readonly name: string;
  /** Whether it only serves handlers. Other middleware also affects responses to unknown paths. */
  readonly isForHandlers: boolean;
  /** The name of other marked middleware that has to run before it. */
  readonly after?: string | undefined;
}

/** Marks middleware that only affects what is registered after it. */
export function declareUpstream<Target extends object>(
  target: Target,
  name: string,
  isForHandlers = false,
  after?: string,
): Target {
  const value: DeclaredUpstream = Object.freeze({ name, isForHandlers, after });
  return Object.defineProperty(target, UPSTREAM, { value });
}

/** Describes middleware that only affects what is registered after it; undefined if it is not marked. */
export function upstreamOf(target: object): DeclaredUpstream | undefined {
  return Reflect.get(target, UPSTREAM) as DeclaredUpstream | undefined;
}

/** A global symbol, so that two copies of a package recognize each other's guards. */
const GUARD = Symbol.for('fairlead:guard');

/**
 * Marks a guard function, which never calls `next()`.
 *
 * @param middleware - The middleware that does the same, for messages, such as `rateLimit()`.
 */
export function declareGuard<Guard extends object>(guard: Guard, middleware: string): Guard {
  return Object.defineProperty(guard, GUARD, { value: middleware });
}

/** Returns the middleware that does the same as a marked guard; undefined if it is not marked. */
export function middlewareFor(target: object): string | undefined {
  const name: unknown = Reflect.get(target, GUARD);
  return typeof name === 'string' ? name : undefined;
}

/** A global symbol, so that two copies of a package recognize each other's middleware. */
const RESPONDER = Symbol.for('fairlead:responder');

/**
 * Marks middleware that may respond to paths without a route.
 *
 * @param hides - Whether browsers that open a path get its page, even if there is a route after it.
 */
export function declareResponder<Target extends object>(
  target: Target,
  hides: (path: string) => boolean = () => false,
): Target {
  return Object.defineProperty(target, RESPONDER, { value: hides });
}

/** Whether browsers that open a path get the page of marked middleware, even if there is a route after it. */
export function hidesRoute(target: object, path: string): boolean {
  const hides: unknown = Reflect.get(target, RESPONDER);
  return typeof hides === 'function' && hides(path) === true;
}

/**
 * Whether middleware is marked as responding to paths without a route, or as belonging to another framework.
 */
export function isResponder(target: object): boolean {
  return RESPONDER in target || isForeign(target);
}

/** The symbol with which core marks its error handler and its not-found handler. */
const ROLE = Symbol.for('fairlead:role');

/** Whether a value is middleware or a guard that no package has marked, so that it may do anything. */
export function isUnknown(target: object): boolean {
  return upstreamOf(target) === undefined && Reflect.get(target, ROLE) === undefined;
}

/** A global symbol, so that two copies of a package share the marked values. */
const INTENDED = Symbol.for('fairlead:intended');

const shared = globalThis as typeof globalThis & { [INTENDED]?: WeakSet<object> };

/** Marks a value that a warning is about, so that the warning is not printed. Accepts frozen values. */
export function markIntended<Target extends object>(target: Target): Target {
  shared[INTENDED] ??= new WeakSet();
  shared[INTENDED].add(target);
  return target;
}

/** Whether a value is marked as intended. */
export function isIntended(value: unknown): boolean {
  return shared[INTENDED]?.has(Object(value)) ?? false;
}

/** A global symbol, so that two copies of a package recognize each other's functions. */
const WRAPPED = Symbol.for('fairlead:wrapped');

/** Marks a function that only calls another one, so that checks look at that one. */
export function declareWrapper<Target extends object>(target: Target, wrapped: object): Target {
  if (isIntended(wrapped)) markIntended(target);
  return Object.defineProperty(target, WRAPPED, { value: unwrap(wrapped), configurable: true });
}

/** Returns the function that a marked function calls; the function itself if it is not marked. */
export function unwrap(target: object): object {
  return (Reflect.get(target, WRAPPED) as object | undefined) ?? target;
}

/**
 * Prints a startup warning. It can be wrong, so its message must end with how to silence it.
 *
 * @param code - Stable and documented, such as `FAIRLEAD_ORDER`.
 */
export function warn(code: string, message: string): void {
  process.emitWarning(message, { type: 'FairleadWarning', code });
}

/** A global symbol, so that two copies of a package recognize each other's middleware. */
const DOUBT = Symbol.for('fairlead:doubt');

/**
 * Marks middleware that works, but may not do what its application intends.
 *
 * @param find - Called at startup with the middleware that runs for all requests of the application. Returns
 *   the message of a warning, which intended() around the marked middleware silences; undefined for none.
 */
export function declareDoubt<Target extends object>(
  target: Target,
  find: (others: readonly object[]) => string | undefined,
): Target {
  return Object.defineProperty(target, DOUBT, { value: find });
}

/** Returns the message of a warning about marked middleware; undefined for none. */
export function doubtOf(target: object, others: readonly object[]): string | undefined {
  const find: unknown = isIntended(target) ? undefined : Reflect.get(target, DOUBT);
  return typeof find === 'function' ? find(others) : undefined;
}

/** A global symbol, so that two copies of a package recognize each other's guards. */
const SLOT = Symbol.for('fairlead:slot');

/**
 * Marks a guard that replaces those of outer scopes with the same slot: that of a method replaces that of its
 * class.
 *
 * @param slot - Begins with the kind of the guard.
 */
export function declareSlot<Target extends object>(target: Target, slot: string): Target {
  return Object.defineProperty(target, SLOT, { value: slot });
}

/** Returns the slot of a guard; undefined if it is not marked, or is a token. */
export function slotOf(guard: unknown): unknown {
  return typeof guard === 'function' ? Reflect.get(guard, SLOT) : undefined;
}

/** A global symbol, so that two copies of a package recognize each other's applications. */
const PROXY = Symbol.for('fairlead:proxy');

/** Marks an application that has the option `proxy`, even if it trusts no proxy. */
export function declareProxy(app: object): void {
  Object.defineProperty(app, PROXY, { value: true });
}

/** Whether an application has the option `proxy`. */
export function hasProxyOption(app: object): boolean {
  return Reflect.get(app, PROXY) === true;
}
