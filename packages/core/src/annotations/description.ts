import {
  arrayOf,
  boolean,
  describeValue,
  either,
  findOptionProblems,
  fn,
  isClass,
  isIntended,
  type Kinds,
  kind,
  markIntended,
  nonEmptyString,
  object,
  oneOf,
  publicReason,
  string,
} from '@fairlead/options';
import { throwTogether } from '../setup/options.js';
import {
  type Documented,
  isSecurity,
  type Security,
  type SentDescription,
} from './documentation.js';
import { type Placed, ROLES, type Role } from './placement.js';

/**
 * What startup checks and generated documents need to know about a function, a class or another value: where it has to
 * be, what it adds to documents, and how it behaves.
 */
export interface Description extends Placed, Documented {
  /**
   * How messages and {@link after} name it, such as `csrf()`. By default the name of the function, with parentheses, or
   * of the class. A function without a name has this one from then on, as in lists of routes and in the 403 of a guard.
   */
  readonly name?: string;
  /** The function that it only calls. It takes over the description of that one, and whether it is intended. */
  readonly wraps?: object;
  /**
   * Returns the middleware to run below a prefix of `app.use()`, and, for a foreign one, of a mounted router.
   * The prefix may contain parameters.
   */
  readonly below?: (prefix: string) => object;
  /**
   * Called once at startup, when it is used. Returns the message of a warning, which `intended()` silences;
   * undefined for none.
   */
  readonly warning?: () => string | undefined;
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
const KINDS: Kinds<Description> = {
  name: nonEmptyString,
  role: oneOf(...ROLES),
  after: either(nonEmptyString, arrayOf(nonEmptyString, 'an array of names')),
  reads: kind('an object with the array mediaTypes', (value) =>
    Array.isArray(Reflect.get(Object(value), 'mediaTypes')),
  ),
  takes: object,
  sends: either(object, arrayOf(object, 'an array of objects')),
  security: kind(
    '{ name, scheme } with a Security Scheme Object, { anyOf }, or an array of such objects',
    isSecurity,
  ),
  public: publicReason,
  limit: nonEmptyString,
  runs: arrayOf(either(fn, object), 'an array of functions and objects'),
  unitOf: object,
  afterGuards: boolean,
  crossSite: boolean,
  servesTools: boolean,
  forOperators: oneOf('probes', 'metrics'),
  audiences: arrayOf(string, 'an array of strings'),
  policy: string,
  middleware: nonEmptyString,
  guard: nonEmptyString,
  slot: nonEmptyString,
  below: fn,
  hides: fn,
  warning: fn,
  check: fn,
  refuses: fn,
  misses: fn,
  enter: fn,
  wraps: fn,
  respond: fn,
  discard: fn,
};

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

/** Whether a route opens WebSocket connections: one of its functions does, and accepts the handshake. */
export function opensWebSocket(functions: readonly unknown[]): boolean {
  return functions.some((one) => roleOf(one) === 'websocket');
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
export function isDemanding(security: Security): boolean {
  if ('anyOf' in security) return security.anyOf.every(isDemanding);
  return 'name' in security || security.some(isDemanding);
}

/** Lists functions in the order in which they run, with those that they call first. */
export function flatten(functions: readonly object[]): readonly object[] {
  return functions.flatMap((one) => [...(descriptionOf(one)?.runs ?? []), one]);
}

/**
 * Lists how requests authenticate to reach the end of a route, in order.
 *
 * @param functions - Those that run for the route, with middleware of the application.
 * @param own - The option `security` of the route.
 */
export function securityOf(
  functions: readonly object[],
  own: readonly Security[] = [],
): readonly Security[] {
  return [...flatten(functions).flatMap((one) => descriptionOf(one)?.security ?? []), ...own];
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
