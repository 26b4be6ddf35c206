import { type Pattern, parsePattern } from '../../../../../packages/core/src/router/pattern.js';
import { Tree } from '../../../../../packages/core/src/router/tree.js';
import { ROUTES, routerOperations } from '../routes.js';

/** The routes. Each value is the route's pattern, which has the names of its parameters. */
export const tree = new Tree<Pattern>({ caseSensitive: true, strict: false });
for (const [method, text] of ROUTES) {
  const pattern = parsePattern(text);
  tree.insert(method, pattern, pattern);
}

const findRoute = (method: string, path: string) => tree.find(method, path)?.value;

/** Finds the encoded parameter by the index of its name. */
function findId(method: string, path: string): unknown {
  const found = tree.find(method, path);
  return found?.rawParams[found.value.names.indexOf('id')];
}

export const operations = routerOperations(findRoute, findId);
