import { isIntended, locatorOf } from '@fairlead/options';
import { descriptionOf, type Placement, passesOn, roleOf } from '../annotations/description.js';
import type { Middleware } from '../pipeline/pipeline.js';
import { overlaps, shapesOf } from '../router/pattern.js';
import type { Layout, Place } from './layout.js';
import type { Found } from './run-checks.js';

/** Asks described functions whether they are where they can work. */
export function areMisplaced(layout: Layout): Found {
  const { places, routes } = layout;
  const functions = [places.map(({ call }) => call), routes.map((one) => one.handlers)].flat(2);
  return [...new Set(functions)].flatMap((one) => {
    const { check } = descriptionOf(one) ?? {};
    const doubt = isIntended(one) ? undefined : check?.(placementOf(one, layout));
    if (doubt === undefined) return [];
    const own = routes.find(({ handlers }) => handlers.includes(one));
    return { ...doubt, at: locatorOf(one) ? one : own?.options };
  });
}

function placementOf(one: Middleware, { places, routes, rules }: Layout): Placement {
  const index = places.findIndex(({ middleware }) => middleware === one);
  const place = places[index];
  const meets = (other: Place) => overlaps(place?.shapes ?? [], [...other.shapes, '*']);
  const covered = routes.filter(({ functions }) => functions.includes(one));
  return {
    routes: covered.map(({ method, pattern, handlers, functions }) => {
      const at = functions.indexOf(one);
      const isOwn = at >= functions.length - handlers.length;
      const [before, after] = [functions.slice(0, at), functions.slice(at + 1)];
      return { method, pattern: pattern.text, isOwn, before, after };
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
