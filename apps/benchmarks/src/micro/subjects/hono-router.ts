import { RegExpRouter } from 'hono/router/reg-exp-router';
import { onRequests, PARAM_ROUTES, ROUTES, STATIC_ROUTES } from '../routes.js';

const router = new RegExpRouter<string>();
for (const [method, pattern] of ROUTES) router.add(method, pattern, pattern);

const findRoute = (method: string, path: string) => router.match(method, path)[0][0]?.[0];

/** The parameter as Hono's own request reads it: by the index that the match has for its name. */
function findId(method: string, path: string): unknown {
  const [[first], stash] = router.match(method, path);
  const index = first?.[1].id;
  return stash === undefined || typeof index !== 'number' ? index : stash[index];
}

export const operations = {
  'router-param': () => onRequests(PARAM_ROUTES, findId),
  'router-static': () => onRequests(STATIC_ROUTES, findRoute),
  'router-all': () => onRequests(ROUTES, findRoute),
};
