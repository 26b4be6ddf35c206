import { atLine, isIntended } from '@fairlead/options';
import {
  type Descriptor,
  descriptionOf,
  isResponder,
  isUnknown,
  passesOn,
  roleOf,
} from '../description.js';
import { SetupError } from '../errors/setup-error.js';
import type { Middleware } from '../pipeline/pipeline.js';
import { joinPaths } from '../target.js';
import type { MountedRoute, MountedRouter, PrefixedMiddleware } from './mount.js';
import {
  createIsBelow,
  createOverlaps,
  type IsBelow,
  type PathRules,
  parseSegments,
  type Segment,
} from './pattern.js';
import { type AnyRouter, prefixesTo } from './router.js';

/** A middleware or a router, with its prefix if it has one. */
export type Entry = Middleware | PrefixedMiddleware | MountedRouter;

/** Middleware that only affects what is registered after it. */
type Upstream = Pick<Descriptor, 'name' | 'role' | 'after'>;

/** A middleware, or a router with its routes. */
interface Registration {
  /** How messages refer to it. */
  readonly name: string;
  readonly prefix: string;
  readonly middleware?: Middleware;
  readonly role?: 'errorHandler' | 'notFoundHandler' | undefined;
  /** Middleware that only affects what is registered after it. */
  readonly upstream?: Upstream | undefined;
  readonly routes?: readonly MountedRoute[];
  /** Whether the application has marked what a warning would be about as intended. */
  readonly isIntended?: boolean;
}

/**
 * Finds handlers in places where they, or what follows, cannot work.
 *
 * @param entries - In order of registration.
 * @param routesOf - The routes of the routers among the entries.
 * @param rules - How the prefixes of middleware are compared.
 * @param unfilled - A router that will have routes: one of the entries, or one that is mounted later.
 */
export function checkOrder(
  entries: readonly Entry[],
  routesOf: ReadonlyMap<MountedRouter, readonly MountedRoute[]>,
  rules: PathRules,
  unfilled?: AnyRouter,
): readonly SetupError[] {
  const all = entries.flatMap((entry) => registrationsOf(entry, routesOf, unfilled));
  const isMounted = entries.some((entry) => mounts(entry, unfilled));
  if (unfilled !== undefined && !isMounted) {
    all.push({ name: 'a router that is mounted later', prefix: '/' });
  }
  const misplaced = all.flatMap(({ role, prefix, middleware }, index) => {
    if (role !== 'notFoundHandler') return [];
    const isAffected = createIsBelow(prefix, rules);
    const after = all.slice(index + 1).filter((other) => other.role === undefined);
    const names = after.flatMap((other) => namesOf(other, isAffected));
    const problem = `responds to every request${rangeOf(prefix)}, so anything registered after it never runs`;
    const fix = 'Register notFoundHandler() last.';
    return invalidOrder('notFoundHandler()', problem, names, fix + atLine(middleware));
  });
  return [...misplaced, ...checkRoutes([...routesOf.values()].flat())];
}

/** Errors and warnings about the order of all entries. */
export interface OrderFindings {
  readonly problems: readonly SetupError[];
  /** Messages about an order that may be intended. */
  readonly warnings: readonly string[];
}

/**
 * Finds middleware that runs for none of the routes because all of them are registered before it, and error
 * handlers after routes. Middleware that has a route or any other function after it may be there for that.
 *
 * @param entries - All entries, in order of registration.
 * @param routesOf - The routes of the routers among the entries.
 * @param rules - How the prefixes of middleware are compared.
 */
export function checkUpstream(
  entries: readonly Entry[],
  routesOf: ReadonlyMap<MountedRouter, readonly MountedRoute[]>,
  rules: PathRules,
): OrderFindings {
  const all = entries.flatMap((entry) => registrationsOf(entry, routesOf, undefined));
  const problems: SetupError[] = [];
  const warnings: string[] = [...describeUnreached([...routesOf.values()].flat())];
  for (const [index, { role, middleware, prefix, isIntended, ...entry }] of all.entries()) {
    const upstream = entry.upstream ?? (middleware && describeCheck(middleware, prefix));
    const before = all.slice(0, index).filter(({ routes }) => routes !== undefined);
    const range = rangeOf(prefix);
    if (role === 'errorHandler' && !isIntended) {
      // These catch the errors, or have been reported for the same routes.
      const others = all.slice(0, index).filter((other) => other.role === role);
      const isMissed = except(createIsBelow(prefix, rules), others, rules);
      const names = before
        .filter((router) => !router.isIntended)
        .flatMap((router) => namesOf(router, isMissed));
      const problem = `cannot catch errors${range} from anything registered before it`;
      const fix = `Register errorHandler() first, or pass it or the router to intended().${atLine(middleware)}`;
      warnings.push(...describeOrder('errorHandler()', problem, names, fix));
    }
    if (upstream === undefined || isIntended) continue;
    const overlaps = createOverlaps(prefix, rules);
    const after = all.slice(index + 1);
    const isFirst = (other: Registration) => upstream.after.includes(other.upstream?.name ?? '');
    if (after.some(isFirst) && !all.slice(0, index).some(isFirst)) {
      const fix = `Register that first, or pass ${upstream.name} to intended().`;
      warnings.push(
        `${upstream.name} reads what ${upstream.after.join(' or ')} provides, but runs before it. ${fix}${atLine(middleware)}`,
      );
    }
    if (after.some((other) => responds(other) && namesOf(other, overlaps).length > 0)) continue;
    // Middleware of the same name runs for these routes, or has been reported for them.
    const { name } = upstream;
    const isSame = (one: Middleware | undefined): boolean =>
      one !== undefined && (one === middleware || descriptionOf(one)?.name === name);
    const others = all.slice(0, index).filter((other) => isSame(other.middleware));
    const isMissed = except(createIsBelow(prefix, rules), others, rules);
    const names = before.flatMap((router) =>
      namesOf(router, (segments, handlers) => isMissed(segments) && !handlers.some(isSame)),
    );
    const problem = `runs for no route${range}, because all of them are registered before it`;
    const fix = 'Register it before the routes';
    const at = atLine(middleware);
    if (upstream.role === 'input')
      problems.push(...invalidOrder(name, problem, names, `${fix}.${at}`));
    else {
      const silence = `${fix}, or pass it to intended() if it is for unknown paths.${at}`;
      warnings.push(...describeOrder(name, problem, names, silence));
    }
  }
  return { problems, warnings };
}

/**
 * Describes a function of the application that seems to be for the routes below its prefix: it passes requests
 * on, or rejects some of them. Any other one may respond to paths without a route.
 */
function describeCheck(middleware: Middleware, prefix: string): Upstream | undefined {
  if (prefix === '/' || !isUnknown(middleware) || isResponder(middleware)) return undefined;
  const text = `${middleware}`;
  if (middleware.length < 2 && !/\b40[13]\b|Unauthorized|Forbidden/.test(text)) return undefined;
  if (/\b404\b|NotFound/.test(text)) return undefined;
  const { name } = middleware;
  const label = name === '' ? `A function of app.use('${prefix}')` : `The middleware '${name}'`;
  return { name: label, role: 'middleware', after: [] };
}

/** Warns of middleware at the end of routes, which no request reaches after a handler without `next`. */
function describeUnreached(routes: readonly MountedRoute[]): readonly string[] {
  const names = new Map<string, string[]>();
  for (const route of routes) {
    const last = route.handlers.at(-1);
    const upstream = upstreamOf(last);
    const ends = (one: Middleware): boolean =>
      roleOf(one) === 'websocket' || (isUnknown(one) && one.length < 2);
    if (upstream === undefined || isIntended(last) || !route.handlers.some(ends)) continue;
    names.set(upstream.name, [...(names.get(upstream.name) ?? []), nameOf(route)]);
  }
  const problem = 'never runs, because a function before it in the route does not call next()';
  return [...names].flatMap(([name, routes]) => {
    const fix = `Pass ${name} before the handler, or to intended().`;
    return describeOrder(name, problem, routes, fix);
  });
}

/** Whether a registration has routes, or may respond as they do. */
function responds({ upstream, role }: Registration): boolean {
  return upstream === undefined && role === undefined;
}

function registrationsOf(
  entry: Entry,
  routesOf: ReadonlyMap<MountedRouter, readonly MountedRoute[]>,
  unfilled: AnyRouter | undefined,
): readonly Registration[] {
  if (typeof entry === 'function') return [registrationOf(entry, '/')];
  const { prefix } = entry;
  if ('middleware' in entry) return entry.middleware.map((one) => registrationOf(one, prefix));
  const name = entry.isOwn ? '' : `the router mounted at '${prefix}'`;
  // Its routes are not known yet, so a handler affects the whole router.
  if (mounts(entry, unfilled)) return [{ name, prefix }];
  const routes = routesOf.get(entry) ?? [];
  return [{ name, prefix, routes, isIntended: isIntended(entry.router) }];
}

/** Whether an entry is a router, or contains it. */
function mounts(entry: Entry, router: AnyRouter | undefined): boolean {
  return router !== undefined && 'router' in entry && prefixesTo(entry.router, router).length > 0;
}

/** Describes the paths of a prefix, after a noun. */
function rangeOf(prefix: string): string {
  return prefix === '/' ? '' : ` below '${prefix}'`;
}

/** Creates the predicate for the affected patterns that are not below the prefix of another registration. */
function except(isAffected: IsBelow, others: readonly Registration[], rules: PathRules): IsBelow {
  const isCovered = others.map(({ prefix }) => createIsBelow(prefix, rules));
  return (segments) => isAffected(segments) && !isCovered.some((covers) => covers(segments));
}

/** Describes middleware that only affects what is registered after it; undefined for any other. */
function upstreamOf(middleware: Middleware | undefined): Upstream | undefined {
  return passesOn(middleware) ? descriptionOf(middleware) : undefined;
}

function registrationOf(middleware: Middleware, prefix: string): Registration {
  const name = middleware.name === '' ? 'a middleware' : `the middleware '${middleware.name}'`;
  const role = roleOf(middleware);
  return {
    name,
    prefix,
    middleware,
    role: role === 'errorHandler' || role === 'notFoundHandler' ? role : undefined,
    upstream: upstreamOf(middleware),
    isIntended: isIntended(middleware),
  };
}

/** Names a registration if a handler affects all of it, or else the routes that it affects. */
function namesOf(
  { name, prefix, routes }: Registration,
  isAffected: (segments: readonly Segment[], handlers: readonly Middleware[]) => boolean,
): readonly string[] {
  if (routes === undefined)
    return isAffected(parseSegments(joinPaths(prefix, '*')), []) ? [name] : [];
  const affected = routes.filter(({ pattern, handlers }) => isAffected(pattern.segments, handlers));
  const isWhole = affected.length === routes.length && affected.length > 0;
  return isWhole && name !== '' ? [name] : affected.map((route) => `the route ${nameOf(route)}`);
}

/** Finds handlers among the functions of routes that cannot work there. */
function checkRoutes(routes: readonly MountedRoute[]): readonly SetupError[] {
  // The middleware of a router is part of each of its routes.
  const shadowed = new Map<Middleware, MountedRoute[]>();
  const useless: MountedRoute[] = [];
  const unopened: MountedRoute[] = [];
  for (const route of routes) {
    const last = route.handlers.length - 1;
    for (const [index, handler] of route.handlers.entries()) {
      const role = roleOf(handler);
      if (role === 'websocket' && !['GET', 'ALL'].includes(route.method)) unopened.push(route);
      if (role === 'errorHandler' && index === last) useless.push(route);
      if (role !== 'notFoundHandler' || index === last) continue;
      shadowed.set(handler, [...(shadowed.get(handler) ?? []), route]);
    }
  }
  const fix = 'Register it last on the application, with app.use(notFoundHandler()).';
  const responds = 'responds to every request, so the functions after it never run in a route';
  const catchesNothing = 'is the last function of a route, so it catches nothing there';
  return [
    ...[...shadowed.values()].flatMap((routes) =>
      invalidOrder(
        'notFoundHandler()',
        responds,
        routes.map(nameOf),
        fix + atLine(routes[0]?.options),
      ),
    ),
    ...invalidOrder(
      'errorHandler()',
      catchesNothing,
      useless.map(nameOf),
      `Pass it before the other functions.${atLine(useless[0]?.options)}`,
    ),
    ...unopened.map((route) => {
      const problem = `The route ${nameOf(route)} cannot open WebSocket connections`;
      const fix = 'because clients open them with GET. Register it for GET.';
      return new SetupError('INVALID_METHOD', `${problem}, ${fix}${atLine(route.options)}`);
    }),
  ];
}

function nameOf({ method, pattern }: MountedRoute): string {
  return `${method} ${pattern.text}`;
}

/** Maximum number of names that a message lists. */
const LISTED = 3;

/** Returns the error for misplaced middleware. Empty if it affects nothing. */
function invalidOrder(...parts: Parameters<typeof describeOrder>): readonly SetupError[] {
  return describeOrder(...parts).map((message) => new SetupError('INVALID_ORDER', message));
}

/** Returns the message about misplaced middleware. Empty if it affects nothing. */
export function describeOrder(
  name: string,
  problem: string,
  names: readonly string[],
  fix: string,
): readonly string[] {
  if (names.length === 0) return [];
  const others = names.length - LISTED;
  const listed = names.slice(0, LISTED).join(', ') + (others > 0 ? ` and ${others} more` : '');
  return [`${name} ${problem}: ${listed}. ${fix}`];
}
