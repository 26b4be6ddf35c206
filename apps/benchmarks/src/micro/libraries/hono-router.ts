import { RegExpRouter } from 'hono/router/reg-exp-router';
import { ROUTES, routerOperations } from '../routes.js';

const router = new RegExpRouter<string>();
for (const [method, pattern] of ROUTES) router.add(method, pattern, pattern);

const findRoute = (method: string, path: string) => router.match(method, path)[0][0]?.[0];

/** Reads the parameter as Hono's request does: by the index of its name. */
function findId(method: string, path: string): unknown {
  const [[first], stash] = router.match(method, path);
  const index = first?.[1].id;
  return stash === undefined || typeof index !== 'number' ? index : stash[index];
}

export const operations = routerOperations(findRoute, findId);
