import { SetupError } from '../errors/setup-error.js';
import { type Middleware, type Role, roleOf } from '../pipeline.js';
import { joinPaths } from '../target.js';
import type { MountedRoute, MountedRouter, PrefixedMiddleware } from './mount.js';
import { createIsBelow, type IsBelow, type PathRules, parseSegments } from './pattern.js';
import { type AnyRouter, prefixesTo } from './router.js';

/** A middleware or a router, with its prefix if it has one. */
export type Entry = Middleware | PrefixedMiddleware | MountedRouter;

/** A middleware, or a router with its routes. */
interface Registration {
  /** How messages refer to it. */
  readonly name: string;
  readonly prefix: string;
  readonly role?: Role | undefined;
  readonly routes?: readonly MountedRoute[];
}

/**
 * Finds error handlers and not-found handlers in places where they cannot work.
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
  const misplaced = all.flatMap(({ role, prefix }, index) => {
    const range = prefix === '/' ? '' : ` below '${prefix}'`;
    const isAffected = createIsBelow(prefix, rules);
    if (role === 'notFoundHandler') {
      const after = all.slice(index + 1).filter((other) => other.role === undefined);
      const names = after.flatMap((other) => namesOf(other, isAffected));
      const problem = `responds to every request${range}, so anything registered after it never runs`;
      return invalidOrder(role, problem, names, 'Register notFoundHandler() last.');
    }
    if (role === 'errorHandler') {
      const before = all.slice(0, index);
      // These catch the errors, or have been reported for the same routes.
      const others = before.filter((other) => other.role === role);
      const isCovered = others.map((other) => createIsBelow(other.prefix, rules));
      const isMissed: IsBelow = (segments) =>
        isAffected(segments) && !isCovered.some((covers) => covers(segments));
      const routers = before.filter(({ routes }) => routes !== undefined);
      const names = routers.flatMap((router) => namesOf(router, isMissed));
      const problem = `cannot catch errors${range} from anything registered before it`;
      return invalidOrder(role, problem, names, 'Register errorHandler() first.');
    }
    return [];
  });
  return [...misplaced, ...checkRoutes([...routesOf.values()].flat())];
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
  return [{ name, prefix, routes: routesOf.get(entry) ?? [] }];
}

/** Whether an entry is a router, or contains it. */
function mounts(entry: Entry, router: AnyRouter | undefined): boolean {
  return router !== undefined && 'router' in entry && prefixesTo(entry.router, router).length > 0;
}

function registrationOf(middleware: Middleware, prefix: string): Registration {
  const name = middleware.name === '' ? 'a middleware' : `the middleware '${middleware.name}'`;
  const role = roleOf(middleware);
  return { name, prefix, role: role === 'cors' ? undefined : role };
}

/** Names a registration if a handler affects all of it, or else the routes that it affects. */
function namesOf({ name, prefix, routes }: Registration, isAffected: IsBelow): readonly string[] {
  if (routes === undefined) return isAffected(parseSegments(joinPaths(prefix, '*'))) ? [name] : [];
  const affected = routes.filter(({ pattern }) => isAffected(pattern.segments));
  const isWhole = affected.length === routes.length && affected.length > 0;
  return isWhole && name !== '' ? [name] : affected.map((route) => `the route ${nameOf(route)}`);
}

/** Finds handlers among the functions of routes. */
function checkRoutes(routes: readonly MountedRoute[]): readonly SetupError[] {
  // The middleware of a router is part of each of its routes.
  const shadowed = new Map<Middleware, string[]>();
  const useless: string[] = [];
  for (const route of routes) {
    const last = route.handlers.length - 1;
    for (const [index, handler] of route.handlers.entries()) {
      const role = roleOf(handler);
      if (role === 'errorHandler' && index === last) useless.push(nameOf(route));
      if (role !== 'notFoundHandler' || index === last) continue;
      shadowed.set(handler, [...(shadowed.get(handler) ?? []), nameOf(route)]);
    }
  }
  const fix = 'Register it last on the application, with app.use(notFoundHandler()).';
  const responds = 'responds to every request, so the functions after it never run in a route';
  const catchesNothing = 'is the last function of a route, so it catches nothing there';
  return [
    ...[...shadowed.values()].flatMap((names) =>
      invalidOrder('notFoundHandler', responds, names, fix),
    ),
    ...invalidOrder('errorHandler', catchesNothing, useless, 'Pass it before the other functions.'),
  ];
}

function nameOf({ method, pattern }: MountedRoute): string {
  return `${method} ${pattern.text}`;
}

/** Maximum number of names that a message lists. */
const LISTED = 3;

/** Returns the error for a misplaced handler. Empty if it affects nothing. */
function invalidOrder(
  role: Role,
  problem: string,
  names: readonly string[],
  fix: string,
): readonly SetupError[] {
  if (names.length === 0) return [];
  const others = names.length - LISTED;
  const listed = names.slice(0, LISTED).join(', ') + (others > 0 ? ` and ${others} more` : '');
  return [new SetupError('INVALID_ORDER', `${role}() ${problem}: ${listed}. ${fix}`)];
}
