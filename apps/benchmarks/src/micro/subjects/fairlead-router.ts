import { type Pattern, parsePattern } from '../../../../../packages/core/src/router/pattern.js';
import { Tree } from '../../../../../packages/core/src/router/tree.js';
import { onRequests, PARAM_ROUTES, ROUTES, STATIC_ROUTES } from '../routes.js';

/** The routes, by a value that knows the names of their parameters. */
export const tree = new Tree<Pattern>({ caseSensitive: true, strict: false });
for (const [method, text] of ROUTES) {
  const pattern = parsePattern(text);
  tree.insert(method, pattern, pattern);
}

const findRoute = (method: string, path: string) => tree.find(method, path)?.value;

/** The parameter by the index that the route has for its name, as it stands in the path. */
function findId(method: string, path: string): unknown {
  const found = tree.find(method, path);
  return found?.rawParams[found.value.names.indexOf('id')];
}

export const operations = {
  'router-param': () => onRequests(PARAM_ROUTES, findId),
  'router-static': () => onRequests(STATIC_ROUTES, findRoute),
  'router-all': () => onRequests(ROUTES, findRoute),
};
