import {
  descriptionOf,
  flatten,
  isDemanding,
  isSecured,
  isUnknown,
  roleOf,
} from '../annotations/description.js';
import type { Registrations } from '../annotations/registrations.js';
import type { Middleware } from '../pipeline/pipeline.js';
import { isBelow } from '../router/pattern.js';
import type { Layout, Place, PlacedRoute } from './layout.js';
import type { Found, PlacedMiddleware } from './run-checks.js';

/** Finds a route that does not declare who may call it, or that contradicts itself. */
export function findUndecided(
  { name, options, functions }: PlacedRoute,
  { declaresAccess }: Layout,
): Found {
  if (!declaresAccess) return;
  const isDocumented = options.security?.some(isDemanding) === true;
  const own = isDocumented ? 'its option security' : undefined;
  const isOpen = descriptionOf(functions.at(-1))?.public !== undefined;
  return decide(`call ${name}`, 'to the route', functions, options.public, own, isOpen);
}

/** Finds middleware that responds to paths without a route, and does not declare who may call it. */
export function findUndecidedResponder(
  { middleware, prefix, shapes, before }: PlacedMiddleware,
  { declaresAccess }: Layout,
): Found {
  if (!declaresAccess || roleOf(middleware) !== 'responder') return;
  const { name, public: reason } = descriptionOf(middleware) ?? {};
  const place = prefix === '/' ? '' : ` below '${prefix}'`;
  const functions = [...covering(shapes, before), middleware];
  return decide(`get what ${name} serves${place}`, `to ${name}`, functions, reason);
}

/** Lists middleware that responds to paths without a route, each with what runs before it. */
export function respondersOf({ places }: Layout): Registrations['responders'] {
  return places.flatMap(({ prefix, shapes, middleware }, index) => {
    if (middleware === undefined || roleOf(middleware) !== 'responder') return [];
    return { prefix, functions: [...covering(shapes, places.slice(0, index)), middleware] };
  });
}

/** Lists the middleware that runs for all paths of a prefix. */
function covering(shapes: readonly string[], before: readonly Place[]): readonly Middleware[] {
  return before.flatMap((one) =>
    one.middleware && isBelow(one.shapes, shapes) ? one.middleware : [],
  );
}

/**
 * @param what - What nobody may do without a decision, as a verb with its object.
 * @param functions - What runs for it. The last one handles requests.
 * @param reason - Why everyone may do it.
 * @param documented - Names what demands credentials without a check.
 * @param isOpen - Whether it brings a reason, unless something demands credentials.
 */
function decide(
  what: string,
  where: string,
  functions: readonly object[],
  reason: string | undefined,
  documented?: string,
  isOpen = false,
): Found {
  const all = flatten(functions);
  const secured = descriptionOf(all.find(isSecured))?.name;
  if (reason !== undefined) {
    const demand = secured ?? documented;
    if (demand === undefined) return;
    const message = `The option public says why everyone may ${what}, but ${demand} demands credentials. Remove public, or ${demand}.`;
    return { code: 'ACCESS_CONTRADICTORY', message };
  }
  if (isOpen || secured !== undefined) return;
  const unknown = all.slice(0, -1).find(isUnknown);
  const name = descriptionOf(unknown)?.name ?? Reflect.get(unknown ?? {}, 'name');
  const own = unknown === undefined ? 'it is your own' : `'${name || 'a function'}' does`;
  return `Nothing decides who may ${what}: no guard or middleware that runs for it is described with security. Add one that authenticates requests. If ${own}, describe it with secured() of @fairlead/openapi. If everyone may, pass public: 'a reason' ${where}.`;
}
