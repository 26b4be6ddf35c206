import { parsePattern } from '../../../../../packages/core/src/router/pattern.js';
import { Tree } from '../../../../../packages/core/src/router/tree.js';
import { each } from '../operation.js';
import { PARAM_PATHS, ROUTES, STATIC_PATHS } from '../routes.js';

const tree = new Tree<string>({ caseSensitive: true, strict: false });
for (const [method, pattern] of ROUTES) tree.insert(method, parsePattern(pattern), pattern);

export const operations = {
  'router-param': () => each(PARAM_PATHS, (path) => tree.find('GET', path)?.rawParams[0]),
  'router-static': () => each(STATIC_PATHS, (path) => tree.find('GET', path)?.value),
};
