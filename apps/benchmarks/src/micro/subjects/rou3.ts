import { addRoute, createRouter, findRoute } from 'rou3';
import { each } from '../operation.js';
import { PARAM_PATHS, ROUTES, STATIC_PATHS } from '../routes.js';

const router = createRouter<string>();
for (const [method, pattern] of ROUTES) addRoute(router, method, pattern, pattern);

export const operations = {
  'router-param': () => each(PARAM_PATHS, (path) => findRoute(router, 'GET', path)?.params?.id),
  'router-static': () => each(STATIC_PATHS, (path) => findRoute(router, 'GET', path)?.data),
};
