import { isIntended, locatorOf } from '@fairlead/options';
import {
  descriptionOf,
  flatten,
  passesOn,
  roleOf,
  securityOf,
} from '../annotations/description.js';
import type { Placement } from '../annotations/placement.js';
import type { Middleware } from '../pipeline/pipeline.js';
import { declaredTypes } from '../router/mount.js';
import { overlaps, shapesOf } from '../router/pattern.js';
import type { Layout, Place, PlacedRoute } from './layout.js';
import type { Found } from './run-checks.js';

/** A route with all functions that run for it, and how many of them are its own. */
interface FlatRoute extends PlacedRoute {
  readonly all: readonly object[];
  readonly own: number;
}

/** Asks described functions whether they are where they can work. Finds what is probably a mistake. */
export function areMisplaced(layout: Layout): Found {
  return askAll(layout, (one, placementOf) => {
    const { check } = descriptionOf(one) ?? {};
    return isIntended(one) ? undefined : check?.(placementOf());
  });
}

/** Asks described functions whether they are where they can work. Finds what cannot work. */
export function areRefused(layout: Layout): Found {
  return askAll(layout, (one, placementOf) => {
    const message = descriptionOf(one)?.refuses?.(placementOf());
    return message === undefined ? undefined : { message };
  });
}

function askAll(
  layout: Layout,
  ask: (one: object, placementOf: () => Placement) => { readonly message: string } | undefined,
): Found {
  const routes: readonly FlatRoute[] = layout.routes.map((route) => {
    const all = flatten(route.functions);
    return { ...route, all, own: flatten(route.handlers).length };
  });
  const calls = layout.places.flatMap(({ call }) => call);
  const functions = [...calls, ...routes.flatMap(({ all, own }) => all.slice(-own))];
  return [...new Set(functions)].flatMap((one) => {
    const found = ask(one, () => placementOf(one, routes, layout));
    if (found === undefined) return [];
    const own = routes.find(({ all, own }) => all.lastIndexOf(one) >= all.length - own);
    return { ...found, at: locatorOf(one) ? one : own?.options };
  });
}

function placementOf(
  one: object,
  routes: readonly FlatRoute[],
  { places, rules }: Layout,
): Placement {
  const index = places.findIndex(({ middleware }) => middleware === one);
  const place = places[index];
  const meets = (other: Place) => overlaps(place?.shapes ?? [], [...other.shapes, '*']);
  const covered = routes.filter(({ all }) => all.includes(one));
  return {
    routes: covered.map(({ method, pattern, options, functions, all, own }) => {
      const at = all.indexOf(one);
      return {
        method,
        pattern: pattern.text,
        isOwn: at >= all.length - own,
        before: all.slice(0, at),
        after: all.slice(at + 1),
        security: securityOf(functions, options.security),
        mediaTypes: declaredTypes(options, functions),
      };
    }),
    before: places
      .slice(0, Math.max(index, 0))
      .filter(meets)
      .flatMap(({ middleware, routes: own = [] }) =>
        middleware ? [middleware] : own.flatMap(({ handlers }) => handlers),
      ),
    mayServe(path) {
      const texts = path.split('/').filter((text) => text !== '');
      const segments = texts.map((text) => ({ kind: 'static', text }) as const);
      const shapes = shapesOf(segments, rules);
      const isBelow = (pattern: readonly string[]) => overlaps(shapes, pattern);
      if (routes.length === 0 || covered.some((route) => isBelow(route.shapes))) return true;
      if (place === undefined) return false;
      return places.slice(index + 1).some(({ middleware, shapes: prefix, routes: own, router }) => {
        if (middleware) return mayRespond(middleware) && isBelow([...prefix, '*']);
        return router !== undefined && own === undefined;
      });
    },
  };
}

export function isHandler(one: Middleware | undefined): boolean {
  return /Handler$/.test(roleOf(one) ?? '');
}

/** Whether middleware may respond as routes do. True for a router, which has none. */
export function mayRespond(one: Middleware | undefined): boolean {
  return !passesOn(one) && !isHandler(one);
}
