import { RegExpRouter } from 'hono/router/reg-exp-router';
import { each } from '../operation.js';
import { PARAM_PATHS, ROUTES, STATIC_PATHS } from '../routes.js';

const router = new RegExpRouter<string>();
for (const [method, pattern] of ROUTES) router.add(method, pattern, pattern);

/** The parameter as Hono's own request reads it: by the index that the match has for its name. */
function findId(path: string): unknown {
  const [[first], stash] = router.match('GET', path);
  const index = first?.[1].id;
  return stash === undefined || typeof index !== 'number' ? index : stash[index];
}

export const operations = {
  'router-param': () => each(PARAM_PATHS, findId),
  'router-static': () => each(STATIC_PATHS, (path) => router.match('GET', path)[0][0]?.[0]),
};
