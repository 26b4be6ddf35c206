import { addRoute, createRouter } from 'rou3';
import { compileRouter } from 'rou3/compiler';
import { each } from '../operation.js';
import { PARAM_PATHS, ROUTES, STATIC_PATHS } from '../routes.js';

const router = createRouter<string>();
for (const [method, pattern] of ROUTES) addRoute(router, method, pattern, pattern);
const find = compileRouter(router);

export const operations = {
  'router-param': () => each(PARAM_PATHS, (path) => find('GET', path)?.params?.id),
  'router-static': () => each(STATIC_PATHS, (path) => find('GET', path)?.data),
};
