import type { Route } from '@fairlead/core';
import { descriptionOf } from '@fairlead/core/extend';
import { isIntended } from '@fairlead/options';
import { errorText, listNames } from '../errors.js';
import type { Mounted } from './subjects.js';

/** Methods whose requests usually write. QUERY is safe. RFC 9110 §9.2.1, RFC 10008 §2 */
const WRITES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Describes routes that write without a transaction, although their controller depends on a database that the
 * application uses with transactions.
 */
export function describeLooseWrites({
  controllers,
  mounted,
  routes: all,
  instancesOf,
}: Mounted): readonly string[] {
  const used = new Set(all.flatMap(unitsOf));
  if (used.size === 0) return [];
  return controllers.flatMap(({ controller, name, routes }) => {
    if (isIntended(controller)) return [];
    const reached = instancesOf(controller).flatMap((one) => descriptionOf(one)?.unitOf ?? []);
    const needed = reached.filter((one) => used.has(one));
    if (needed.length === 0) return [];
    const loose = routes.filter((route) => {
      if (!WRITES.has(route.method) || isIntended(route.runner.handler)) return false;
      const own = mounted.get(route) ?? [];
      return own.some((one) => !needed.every((unit) => unitsOf(one).includes(unit)));
    });
    const [first] = loose;
    if (first === undefined) return [];
    const handlers = listNames([...new Set(loose.map(({ handler }) => handler))]);
    const title = `${handlers} may write without a transaction, although ${name} depends on a database of which other routes use transactions.`;
    const fix =
      'add transaction() to the middleware of the route or the controller. If it calls run(), or writes nothing there, pass the handler or the controller to intended().';
    return errorText(title, fix, first.locate());
  });
}

/** Lists the databases whose transactions a route runs in. */
function unitsOf({ upstream = [], handlers }: Route): readonly object[] {
  return [...upstream, ...handlers].flatMap((one) => descriptionOf(one)?.unitOf ?? []);
}
