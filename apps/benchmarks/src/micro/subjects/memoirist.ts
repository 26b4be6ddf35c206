import { Memoirist } from 'memoirist';
import { each } from '../operation.js';
import { PARAM_PATHS, ROUTES, STATIC_PATHS } from '../routes.js';

const router = new Memoirist<string>();
for (const [method, pattern] of ROUTES) router.add(method, pattern, pattern);

export const operations = {
  'router-param': () => each(PARAM_PATHS, (path) => router.find('GET', path)?.params.id),
  'router-static': () => each(STATIC_PATHS, (path) => router.find('GET', path)?.store),
};
